#import frame
#import board-matrix
#import bid-list
