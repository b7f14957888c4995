// What the threads of a workgroup agree on in a step of the portable path, and which of two is taken.

// The least (key, rank) with its column, and the least key of the others.
struct Least {
  key: u32,
  rank: u32,
  column: u32,
  second: u32,
}

// Of a search: the least (key, rank) and its column, and the same among the columns without a row. Both have the rank of a thread, which no other has.
struct Nearest {
  rank: u32,
  key: u32,
  column: u32,
  openKey: u32,
  openColumn: u32,
  openRank: u32,
}

// Both lie in the same memory.
fn placed(a: Least) -> Nearest { return Nearest(a.rank, a.key, a.column, a.second, 0, 0); }
fn taken(a: Nearest) -> Least { return Least(a.key, a.rank, a.column, a.openKey); }

fn lesser(a: Least, b: Least) -> Least {
  let isBetter = b.key < a.key || (b.key == a.key && b.rank < a.rank);
  let second = min(select(b.key, a.key, isBetter), min(a.second, b.second));
  return Least(select(a.key, b.key, isBetter), select(a.rank, b.rank, isBetter), select(a.column, b.column, isBetter), second);
}

fn nearer(a: Nearest, b: Nearest) -> Nearest {
  let isBetter = b.key < a.key || (b.key == a.key && b.rank < a.rank);
  let isOpen = b.openKey < a.openKey || (b.openKey == a.openKey && b.openRank < a.openRank);
  return Nearest(
    select(a.rank, b.rank, isBetter),
    select(a.key, b.key, isBetter),
    select(a.column, b.column, isBetter),
    select(a.openKey, b.openKey, isOpen),
    select(a.openColumn, b.openColumn, isOpen),
    select(a.openRank, b.openRank, isOpen),
  );
}
