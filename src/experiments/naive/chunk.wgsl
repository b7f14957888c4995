// A chunk of the dense triplets: frame triples whose triplets share a buffer.

struct Chunk {
  n: u32,       // detections of a frame
  first: u32,   // frame triple, of all
}
