// D of an implicit triplet, two links e and f that follow each other, from the numbers m of the links: tripletCost(m_e, m_f).

// WIDTH, the numbers per link, and tripletCost: a text that gpu-kernels.ts makes of the rule's object (triplet-rules.ts).
#import triplet-cost

// m of a link; the importing file binds perEdge.
fn numbersOf(e: u32) -> vec2f {
  if (WIDTH == 1) { return vec2f(perEdge[e], 0); }
  return vec2f(perEdge[2 * e], perEdge[2 * e + 1]);
}
