// D of an implicit triplet, two links e and f that follow each other, from the numbers m of the links.

override RULE: u32 = 0;  // 0 D = |m_e − m_f|, one number a link; 1 D = |m_e − m_f|², two numbers a link

// m of a link; the importing file binds perLink.
fn numbersOf(e: u32) -> vec2f {
  if (RULE == 0) { return vec2f(perLink[e], 0); }
  return vec2f(perLink[2 * e], perLink[2 * e + 1]);
}

fn tripletCost(e: vec2f, f: vec2f) -> f32 {
  let d = f - e;
  if (RULE == 0) { return abs(d.x); }
  return d.x * d.x + d.y * d.y;
}
