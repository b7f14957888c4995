#import board-matrix
#import bid-dense
