// D of an implicit triplet, two links e and f that follow each other, from the numbers m of the links: tripletCost(numbersOf(e), numbersOf(f)).

// A text that gpu-kernels.ts makes of the rule (triplet-rules.ts). The importing file binds perEdge, which numbersOf reads.
#import triplet-cost
