// Rows of the scale space in the order of keypoints: octave after octave, layer after layer.

// Of an octave, in which extrema are found.
override LAYERS: u32;

fn rowOf(place: Place) -> u32 {
  let octave = place.level & 0xff;
  var row = place.pixel >> 16;
  for (var o = 0u; o < octave; o++) { row += LAYERS * space.octaves[o].height; }
  return row + ((place.level >> 8) - 1) * space.octaves[octave].height;
}
