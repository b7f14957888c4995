#import board-pair
#import bid-list
