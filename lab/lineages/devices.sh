#!/usr/bin/env bash
# Recordings that divide on a GPU, on the CPU and in windows, and 1,000 cells in 50 frames: OUT=folder [CARD=gpu THREADS=16 SECONDS_LEFT=118] bash lab/lineages/devices.sh [tiny]
set -uo pipefail
out=${OUT:-/tmp/devices}/divide
mkdir -p "$out" && work=$(mktemp -d)
solve() { node lab/lineages/devices.mjs --on "${CARD:-gpu},cpu${2-,windows}" --threads "${THREADS:-16}" --seconds "$1" --rows "$out/devices.jsonl" "${@:3}" 2>&1 | tee -a "$out/log.txt"; }
draw() { node lab/lineages/divisions.mjs --kinds "$1" --seeds "$2" --csv "$work"; }
if [[ ${1-} == tiny ]]; then
  head -60 scenarios/cells.csv > "$work/tiny.csv"
  solve 500 ,windows "$work/tiny.csv" 20x5
  exit
fi
draw colony,straight,space,missed 3
draw crowd 1
solve 34 ,windows scenarios/data/cells_btrack_s10.csv "$work/colony-3.csv" "$work/straight-3.csv"
solve 46 "" 1000x50
solve 20 "" "$work/crowd-1.csv"
solve 16 "" "$work/missed-3.csv" "$work/space-3.csv"
