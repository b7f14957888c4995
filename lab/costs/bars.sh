#!/usr/bin/env bash
# All scores in the table of bars of lab/notes/motion-law.md, of one build and by one label, some processes of one thread at a time:
#
#     npm run build && bash lab/costs/bars.sh LABEL ROWS [PROCESSES [RECORDINGS]]
set -euo pipefail
export LABEL=$1 ROWS=$2
processes=${3:-2} recordings=${4:-../shared/data}

inputs() {
  for kind in long-fish long-crowd; do for fault in clean dropped; do echo "--long --kinds $kind --faults $fault --seeds 1"; done; done
  for kind in SIMULATED_dem_cylinders_s1 kit_wheat001_s2 cells_btrack_s10; do
    for fault in clean mixed; do echo "--recordings $recordings --kinds $kind --faults $fault"; done
  done
  for kind in opensky_uk_60s opensky_uk_120s ucy_zara02_0.8s eth_0.8s kit_spheres005_s3 ngsim_us101_0.5s; do
    echo "--recordings $recordings --kinds $kind --faults clean,mixed,missed0.15"
    echo "--recordings $recordings --velocities --kinds $kind --faults clean,mixed"
  done
  for seed in 1 8; do for kind in traffic crowd students; do echo "--kinds $kind --faults reports --seeds $seed"; done; done
  for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "--kinds students --faults dropped --seeds $seed"; done
  for seed in 1 8 9; do echo "--kinds crowd --faults dropped --seeds $seed"; done
  for seed in 1 2 3; do echo "--kinds students,traffic,statics,crowd --faults mixed --seeds $seed"; done
  for kind in students traffic crowd; do echo "--kinds $kind --faults clean --seeds 8"; done
  for kind in traffic ships statics; do echo "--kinds $kind --faults dropped,mixed --seeds 8"; done
}

solved() {
  local label=$LABEL
  if [[ $1 == *--velocities* ]]; then label="$LABEL, velocities"; fi
  # shellcheck disable=SC2086 # options are words
  node lab/costs/suite.mjs "$label" --rows "$ROWS" $1
}
export -f solved

inputs | xargs -d '\n' -P "$processes" -I{} bash -c 'solved "{}"'
