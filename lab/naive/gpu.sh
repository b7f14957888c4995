#!/usr/bin/env bash
# All benchmarks against the naive engine, one row a size: lab/naive/gpu.sh ROWS.jsonl [gpu|software] [SIZES], after
# `npm run build`. Needs 40 GB of GPU memory for 300. The LAPs twice: the naive engine in step, and one LAP after the other.
set -euo pipefail
cd "$(dirname "$0")/../.."
rows=$1
device=${2:-gpu}
sizes=${3:-50,100,200,300}
rmap() { node dist/cli/main.js bench "$@" --device "$device" --sizes "$sizes" --append "$rows"; echo "# $SECONDS s"; }

rmap lap --time 10
rmap lap --laps one-by-one --time 4
rmap distribution --time 10
rmap solve --iterations 20 --time 30
