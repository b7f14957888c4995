#import frame
#import board-pair
#import bid-list
