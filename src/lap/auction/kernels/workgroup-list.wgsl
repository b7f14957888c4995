#import all-rounds

// Each thread handles one of the persons who are not settled.
fn bid(lane: u32, persons: u32) {
  for (var at = lane; at < persons; at += THREADS) {
    record(queue[at], choose_listed(queue[at]));
  }
}
