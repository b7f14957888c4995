// Differences of Gaussians, taken while reading.

#import space

@group(0) @binding(0) var<uniform> space: Space;
@group(0) @binding(1) var<storage, read> pyramid: array<f32>;

// D(x, y, s) = Gaussian s + 1 − Gaussian s.
fn difference(octave: Octave, x: u32, y: u32, s: u32) -> f32 {
  let pitch = pitchOf(octave);
  let size = pitch * octave.height;
  let at = octave.offset + s * size + y * pitch + x;
  return pyramid[at + size] - pyramid[at];
}
