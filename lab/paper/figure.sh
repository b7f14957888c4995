#!/usr/bin/env bash
# One figure of Kawtikwar & Nagi 2023, or one of ours, from its scenarios to rows to a page, after `npm run build`:
#
#     lab/paper/figure.sh fig2|fig5|gate|fig6-8|costs|gap|ascents|grid|grid-large [cpu|gpu|software] [FOLDER]
#
# Rows go to FOLDER/FIGURE.jsonl (default: figures/), the page to FOLDER/FIGURE.html; a sweep that was stopped goes on where it was.
# fig6-8 and grid-large want a real GPU: minutes there, hours elsewhere. SIZES (50,100,200,300) are those of fig6-8.
set -euo pipefail
cd "$(dirname "$0")/../.."
usage() { sed -n '4p' "$0" | sed 's/^# */usage: /' >&2; exit 2; }
figure=${1:-}
device=${2:-cpu}
folder=${3:-figures}
case $figure in
  fig2) sweeps=(fig2-steps) ;;
  fig5) sweeps=(fig5-sizes) ;;
  gate) sweeps=(fig5-gating) ;;
  fig6-8)
    sweeps=()
    [[ $device == cpu ]] && { echo "fig6-8 compares on a GPU: figure.sh fig6-8 gpu" >&2; exit 2; }
    ;;
  costs | ascents | grid) sweeps=("$figure") ;;
  gap) sweeps=(gap-n gap-t gap-sigma gap-density) ;;
  grid-large) sweeps=(grid-long grid-wide grid-open) ;;
  *) usage ;;
esac
rmap() { node dist/cli/main.js "$@"; }
rows=$folder/$figure.jsonl
mkdir -p "$folder"
# A GPU takes one run at a time, with all cores of the host; on the CPU each run has a core.
[[ $device == cpu ]] && how=() || how=(--jobs 1 --threads "$(nproc)")
[[ $figure == fig2 ]] && how+=(--profile)
for sweep in "${sweeps[@]}"; do
  rmap sweep "scenarios/sweeps/$sweep.json" --append "$rows" --device "$device" "${how[@]}"
done
# The predecessor's shares, by the naive engine.
[[ $figure == fig2 && $device != cpu ]] && rmap bench solve --device "$device" --sizes "${SIZES:-50,100,200}" --iterations 20 --time 20 --append "$rows"
[[ $figure == fig6-8 ]] && lab/naive/gpu.sh "$rows" "$device" "${SIZES:-50,100,200,300}"
rmap report "$rows" -o "$folder/$figure.html" --title "$figure"
