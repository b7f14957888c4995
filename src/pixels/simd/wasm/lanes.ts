// Parts of the kernels in this folder (AssemblyScript).

export function clamp(x: i32, last: i32): i32 {
  return x < 0 ? 0 : x > last ? last : x;
}

export function sumOfLanes(four: v128): f32 {
  return (
    f32x4.extract_lane(four, 0) +
    f32x4.extract_lane(four, 1) +
    (f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3))
  );
}

/** The floats `c0` … `c3` bytes behind `row`. */
export function gathered(row: usize, c0: i32, c1: i32, c2: i32, c3: i32): v128 {
  let four = v128.load32_zero(row + c0);
  four = v128.load_lane<f32>(row + c1, four, 1);
  four = v128.load_lane<f32>(row + c2, four, 2);
  return v128.load_lane<f32>(row + c3, four, 3);
}
