#import ../../../dist/lap/auction/kernels/candidates

// Below the value of every object.
const LEAST = -2147483647;

// The choice of person i among the objects of one of several lanes, which take turns.
fn chooseOfAll(i: u32, lane: u32, lanes: u32) -> Choice {
  var choice = Choice(LEAST, 0, 0);
  for (var j = lane; j < frame.objects; j += lanes) { choice = betterOf(choice, i, j); }
  return choice;
}

// Of equal objects the first one is kept.
fn better(a: Choice, b: Choice) -> Choice {
  if (b.value > a.value || (b.value == a.value && b.wanted < a.wanted)) {
    return Choice(b.value, max(a.value, b.second), b.wanted);
  }
  return Choice(a.value, max(a.second, b.value), a.wanted);
}

// Leaves the best choice of neighbouring lanes, a power of two of them, in `choices` at the first one. The importing file declares `choices`
// with a place for every thread. All threads of the workgroup call this with the same number of lanes.
fn joinChoices(lane: u32, lanes: u32, choice: Choice) {
  let part = lane % lanes;
  choices[lane] = choice;
  workgroupBarrier();
  for (var half = lanes / 2; half > 0; half /= 2) {
    if (part < half) { choices[lane] = better(choices[lane], choices[lane + half]); }
    workgroupBarrier();
  }
}
