#import frame
#import board-lock
#import bid-list
