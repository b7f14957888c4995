#import frame

// A person's choice: 1 + the best object, 0 for none, its value, and the second best value, at least 0.
struct Choice {
  value: i32,
  second: i32,
  wanted: u32,
}

// The choice of person i among its candidates; none where nothing is worth its price.
fn chooseListed(i: u32) -> Choice {
  var choice = Choice(0, 0, 0);
  for (var k = rowStart[i]; k < rowStart[i + 1]; k++) { choice = betterOf(choice, i, candidate[k]); }
  return choice;
}

// Objects come in increasing order, so the first of equal ones is kept.
fn betterOf(choice: Choice, i: u32, j: u32) -> Choice {
  let value = i32(utilityOf(i, j)) - i32(priceOf(j));
  if (value > choice.value) { return Choice(value, max(choice.value, 0), j + 1); }
  return Choice(choice.value, max(choice.second, value), choice.wanted);
}

// The price that the person would pay: the best object's price, its advantage over the second best, and ε.
fn bidOf(choice: Choice) -> u32 {
  return u32(choice.value - max(choice.second, 0) + i32(priceOf(choice.wanted - 1))) + frame.epsilon;
}
