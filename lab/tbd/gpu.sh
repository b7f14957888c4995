#!/usr/bin/env bash
# Track-before-detect on a GPU, part by part, a minute each at most: rows are appended to results/ as they are ready.
#
#     npm run build && lab/tbd/gpu.sh [2048-1|2048-10|1024-1|1024-10|argument|constant|ours|claims …]
#
# Without parts all of them, five minutes on an H100. Call argument and constant again to go on where they stopped.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [[ $# == 0 ]]; then set -- 2048-1 2048-10 1024-1 1024-10 ours argument constant claims; fi
for part in "$@"; do
  case "$part" in
    [0-9]*-*) node lab/tbd/speed.mjs --parts "$part" --rows lab/results/tbd-speed.jsonl --seconds 45 ;;
    *) node lab/tbd/variants.mjs "$part" --rows lab/results/tbd-variants.jsonl --seconds 50 ;;
  esac
done
