#!/usr/bin/env bash
# A recording that divides on a GPU and on the CPU, its tracks priced by both instances, and 1,000 cells in 50 frames proved on both: OUT=folder [CARD=gpu THREADS=16] bash lab/lineages/devices.sh [tiny]
set -uo pipefail
out=${OUT:-/tmp/devices}/divide card=${CARD:-gpu} threads=${THREADS:-16}
mkdir -p "$out" && work=$(mktemp -d)
say() { tee -a "$out/log.txt"; }
if [[ ${1-} == tiny ]]; then
  head -60 scenarios/cells.csv > "$work/tiny.csv"
  node lab/lineages/crossed.mjs --on "cpu,$card" --threads "$threads" --rows "$out/devices.jsonl" "$work/tiny.csv" 2>&1 | say
  node lab/lineages/cells.mjs --cells 20 --frames 5 --device "$card,cpu" --threads "$threads" --rows "$out/devices.jsonl" 2>&1 | say
  exit
fi
timeout -s KILL 45 node lab/lineages/crossed.mjs --on "cpu,$card" --threads "$threads" --rows "$out/devices.jsonl" scenarios/data/cells_btrack_s10.csv 2>&1 | say
timeout -s KILL 105 node lab/lineages/cells.mjs --device "$card,cpu" --threads "$threads" --rows "$out/devices.jsonl" 2>&1 | say
