// The best choice of neighbouring lanes, a power of two of them, is left in `choices` at the first one; the importing file declares `choices`,
// which has a place for every thread. All threads of the workgroup call this with the same number of lanes.
fn join_choices(lane: u32, lanes: u32, choice: Choice) {
  let part = lane % lanes;
  choices[lane] = choice;
  workgroupBarrier();
  for (var half = lanes / 2u; half > 0u; half /= 2u) {
    if (part < half) {
      choices[lane] = better(choices[lane], choices[lane + half]);
    }
    workgroupBarrier();
  }
}
