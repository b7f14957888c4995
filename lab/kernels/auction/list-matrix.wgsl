#import board-matrix
#import ../../../dist/lap/auction/kernels/bid-list
