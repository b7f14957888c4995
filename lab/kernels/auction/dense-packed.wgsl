#import ../../../dist/lap/auction/kernels/board-packed
#import bid-dense
