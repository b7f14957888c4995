// Of the round that runs: how many persons were not settled at its start. Of all: rounds with such, and whether one had none.
struct Progress {
  unsettled: atomic<u32>,
  rounds: u32,
  done: u32,
}

@group(0) @binding(6) var<storage, read_write> progress: Progress;

// After all bids of a round, by one thread.
fn finish_round() {
  if (atomicLoad(&progress.unsettled) > 0u) {
    progress.rounds++;
  } else {
    progress.done = 1u;
  }
  atomicStore(&progress.unsettled, 0u);
}
