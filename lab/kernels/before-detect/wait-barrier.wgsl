// The barrier makes the threads of a workgroup read at the same time, and neighbouring places.
fn wait() { workgroupBarrier(); }
