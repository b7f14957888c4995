// A pyramid in one buffer: level after level, each width × height f32.

struct Level {
  @align(16) offset: u32,
  width: u32,
  height: u32,
}

struct Pyramid {
  levels: array<Level, 8>,
  count: u32,
}
