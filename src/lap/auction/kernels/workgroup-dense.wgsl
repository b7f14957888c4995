#import all-rounds
#import best-of-lanes

var<workgroup> choices: array<Choice, THREADS>;

// Each person gets as many threads as there are to spare, a power of two.
fn bid(lane: u32, persons: u32) {
  var lanes = 1u;
  while (2u * lanes * persons <= THREADS) {
    lanes *= 2u;
  }
  for (var first = 0u; first < persons; first += THREADS / lanes) {
    let at = first + lane / lanes;
    let part = lane % lanes;
    var choice = Choice(LEAST, 0, NOBODY);
    if (at < persons) {
      let i = queue[at];
      for (var j = part; j < frame.objects; j += lanes) {
        choice = better_of(choice, i, j);
      }
    }
    join_choices(lane, lanes, choice);
    if (at < persons && part == 0u) {
      record(queue[at], choices[lane]);
    }
    workgroupBarrier();
  }
}
