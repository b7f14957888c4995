#import frame
#import board-packed
#import bid-list
