#import frame
#import board-pair
#import bid-dense
