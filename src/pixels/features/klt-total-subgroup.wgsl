// klt-total.wgsl where a subgroup has 32 threads.

enable subgroups;

fn total(part: vec4f, thread: u32) -> vec4f {
  return subgroupAdd(part);
}
