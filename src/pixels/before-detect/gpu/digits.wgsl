// Shared by the kernels that find medians by the digits of keys, eight bits at a time from the top: the two middle values of each vector's plane are searched
// at once. A median of deviations is found the same way, of |value − middle|.

#import ../../../gpu/wgsl/order

struct Digit {
  pixels: u32,
  vectors: u32,
  // Where the digit lies in a key.
  shift: u32,
  // 1: of deviations.
  deviations: u32,
}

// Of a vector's state: its middle, and its standard deviation by the median of the deviations from it.
struct Noise {
  middle: f32,
  sigma: f32,
}

struct Searched {
  // The digits of the key that are known, and how many keys that begin with them come before it.
  known: u32,
  rank: u32,
}

const BINS = 256u;

@group(0) @binding(0) var<uniform> digit: Digit;
@group(0) @binding(1) var<storage, read_write> noise: array<Noise>;
// Two for each vector.
@group(0) @binding(2) var<storage, read_write> searched: array<Searched>;
// BINS for each of them: keys by their next digit. 0 between two searches.
@group(0) @binding(3) var<storage, read_write> bins: array<atomic<u32>>;

// Whether a key begins with the digits that are known.
fn isSearched(key: u32, n: u32) -> bool {
  return digit.shift == 24 || (key ^ searched[n].known) >> (digit.shift + 8) == 0;
}
