// So that the reads of a workgroup lie together.
fn wait() { workgroupBarrier(); }
