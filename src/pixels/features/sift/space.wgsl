// The scale space in one buffer: octave after octave, the six Gaussians of an octave one after the other, each height rows of f32 whose
// pitch is the width rounded up to four.

struct Octave {
  offset: u32,      // of its first Gaussian, in numbers
  width: u32,
  height: u32,
  firstGroup: u32,  // workgroup of the extrema kernel
}

fn pitchOf(octave: Octave) -> u32 { return (octave.width + 3) & ~3u; }

// First number of a Gaussian.
fn planeOf(octave: Octave, gaussian: u32) -> u32 { return octave.offset + gaussian * pitchOf(octave) * octave.height; }

struct Space {
  octaves: array<Octave, 16>,
  count: u32,            // octaves
  soft: f32,             // least |D| of a pixel, grey levels
  peak: f32,             // and of an interpolated extremum
  edge: f32,             // (r + 1)²/r
  candidateRoom: u32,
  placeRoom: u32,
  keypointRoom: u32,
  orientations: u32,     // of a place at most
}

// The number that was found, also where the list was too short; counts of the tests only where they are asked for.
struct Counters {
  candidates: atomic<u32>,
  places: atomic<u32>,
  keypoints: atomic<u32>,
  softThreshold: atomic<u32>,
  interpolated: atomic<u32>,
  threshold: atomic<u32>,
}

// An extremum: column + 2¹⁶ row, octave + 2⁸ layer.
alias Candidate = vec2u;

struct Place {
  x: f32,         // pixels of the octave
  y: f32,
  sigma: f32,
  response: f32,  // grey levels
  pixel: u32,     // column + 2¹⁶ row where the parabola was fitted
  level: u32,     // octave + 2⁸ layer
}

// A place and one of its directions.
struct Oriented {
  place: u32,
  angle: f32,
}
