#import ../../../dist/lap/auction/kernels/board-pair
#import bid-dense
