#import board-lock
#import bid-dense
