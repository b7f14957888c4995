"""Track-before-detect in numpy alone: Mazurek's recursion (2) frame by frame, and with decimation, which must have the same bits.

    python3 lab/tbd/reference.py                                   acceptance: D = 1, 2, 5, 8, 10, 20 on 97 x 61 and two sets of vectors
    python3 lab/tbd/reference.py FRAMES.npy STATE.npy [ALPHA [RADIUS [SPACING]]]    compares a state that rmap wrote (--save-state)
"""

import sys

import numpy as np

F32 = np.float32


def vectors_of_disc(radius, spacing):
    """Multiples of `spacing` of length `radius` at most, in rows of vy, then vx."""
    reach = int(radius / spacing + 1e-9)
    steps = [n * spacing for n in range(-reach, reach + 1)]
    return [(x, y) for y in steps for x in steps if x * x + y * y <= radius * radius + 1e-9]


def moved(speed, k):
    """Whole pixels from frame 0 to frame k."""
    return int(np.floor(k * speed + 0.5))


def shifted(image, dx, dy):
    """out[y, x] = image[y - dy, x - dx], 0 from outside."""
    height, width = image.shape
    out = np.zeros_like(image)
    rows, columns = slice(max(dy, 0), height + min(dy, 0)), slice(max(dx, 0), width + min(dx, 0))
    if abs(dy) < height and abs(dx) < width:
        out[rows, columns] = image[max(-dy, 0) : height - max(dy, 0), max(-dx, 0) : width - max(dx, 0)]
    return out


def direct(frames, vectors, alpha):
    """Yields k and P after every frame."""
    a = F32(alpha)
    b = F32(1 - a)
    state = np.zeros((len(vectors),) + frames.shape[1:], F32)
    for k, frame in enumerate(frames, 1):
        new = b * frame
        for v, (x, y) in enumerate(vectors):
            state[v] = a * shifted(state[v], moved(x, k) - moved(x, k - 1), moved(y, k) - moved(y, k - 1)) + new
        yield k, state


def decimated(frames, vectors, alpha, depth):
    """Yields k and P after every `depth` frames: each trajectory is read and written once in between."""
    a = F32(alpha)
    b = F32(1 - a)
    state = np.zeros((len(vectors),) + frames.shape[1:], F32)
    inside = np.ones(frames.shape[1:], F32)
    for k0 in range(0, len(frames) - depth + 1, depth):
        for v, (x, y) in enumerate(vectors):
            back = [(moved(x, k0 + depth) - moved(x, k0 + j), moved(y, k0 + depth) - moved(y, k0 + j)) for j in range(depth + 1)]
            carried = shifted(state[v], *back[0])
            for j in range(1, depth + 1):
                carried = np.where(shifted(inside, *back[j]) > 0, a * carried + shifted(b * frames[k0 + j - 1], *back[j]), F32(0))
            state[v] = carried
        yield k0 + depth, state


def check_decimation():
    failed = 0
    for name, spacing in (("disc:2", 1), ("disc:2:0.5", 0.5)):
        vectors = vectors_of_disc(2, spacing)
        frames = np.random.default_rng(5).standard_normal((40, 61, 97)).astype(F32)
        every = {k: state.copy() for k, state in direct(frames, vectors, 0.95)}
        for depth in (1, 2, 5, 8, 10, 20):
            outputs = list((k, np.array_equal(state, every[k])) for k, state in decimated(frames, vectors, 0.95, depth))
            same = all(equal for _, equal in outputs)
            failed += not same
            print(f"{name}, {len(vectors)} vectors, D {depth}: {len(outputs)} outputs, {'the same bits' if same else 'DIFFERENT'}")
    return failed


def compare(frames_file, state_file, alpha=0.95, radius=2.0, spacing=1.0):
    frames, found = np.load(frames_file).astype(F32), np.load(state_file)
    vectors = vectors_of_disc(radius, spacing)
    for _, state in direct(frames, vectors, alpha):
        pass
    off = np.abs(state - found).max() / np.abs(state).max()
    print(f"sum {state.astype(float).sum():.6f}, max {state.max():.6f}, largest difference {off:.3g} of max |P|")
    return 0 if off <= 1e-6 else 1


if __name__ == "__main__":
    arguments = sys.argv[1:]
    sys.exit(compare(*arguments[:2], *map(float, arguments[2:])) if arguments else check_decimation())
