#!/usr/bin/env bash
# Track-before-detect on a GPU: speed and the paper's variants, appended to results/. Two to three minutes on an H100.
#
#     npm run build && bench/tbd/gpu.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
node bench/tbd/speed.mjs --rows results/tbd-speed.jsonl
node bench/tbd/variants.mjs --rows results/tbd-variants.jsonl --seconds "${1:-60}"
