#import board-lock
#import ../../../dist/lap/auction/kernels/bid-list
