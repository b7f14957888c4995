// Declarations that the kernels of the Hungarian method share: the sizes of the batch, and the marks of columns.

struct Shape {
  n: u32,       // rows and columns of a LAP
  laps: u32,
  round: u32,   // from 1; 0 asks for all LAPs
}

const COVERED = 0xffffffffu;  // in uncoveredAt: no round has uncovered the column
