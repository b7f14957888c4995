// Kernels that give a thread to each row, or to each column, take them in chunks of one LAP.

#import batch

struct Chunk {
  lap: u32,
  first: u32,  // of its rows, and of its columns
}

@group(0) @binding(8) var<storage, read> chunks: array<Chunk>;

override THREADS: u32 = 64;  // as CHUNK in gpu-sparse.ts
