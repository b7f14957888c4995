#import frame

const LEAST = -2147483647;

// The choice of person i among its candidates; where nothing is worth its price, NOBODY.
fn choose_listed(i: u32) -> Choice {
  var choice = Choice(0, 0, NOBODY);
  for (var k = start[i]; k < start[i + 1u]; k++) {
    let j = candidate[k];
    choice = better_of(choice, i, j);
  }
  return choice;
}

// The choice of person i among the objects of one of several lanes, which take turns.
fn choose_of_all(i: u32, lane: u32, lanes: u32) -> Choice {
  var choice = Choice(LEAST, 0, NOBODY);
  for (var j = lane; j < frame.objects; j += lanes) {
    choice = better_of(choice, i, j);
  }
  return choice;
}

// Objects come in increasing order, so the first of equal ones is kept.
fn better_of(choice: Choice, i: u32, j: u32) -> Choice {
  let value = i32(utility_of(i, j)) - i32(price_of(j));
  if (value > choice.value) {
    return Choice(value, max(choice.value, 0), j);
  }
  return Choice(choice.value, max(choice.second, value), choice.object);
}

// The price that the person would pay: the best object's price, its advantage over the second best, and epsilon.
fn bid_of(choice: Choice) -> u32 {
  return u32(choice.value - max(choice.second, 0) + i32(price_of(choice.object))) + frame.epsilon;
}
