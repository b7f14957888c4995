#import board-packed
#import bid-list
