# The embryo of lab/notes/lineages.md on a host of 16 threads, by the clock: sh lab/lineages/device-embryo.sh; rows go to $OUT/tracks as they come.
OUT=${OUT:-.} CELLS=${CELLS:-500} FRAMES=${FRAMES:-40} SECONDS_EACH=${SECONDS_EACH:-60}
mkdir -p "$OUT/tracks"
[ -f .gpu/enter ] && . .gpu/enter
folder=$(mktemp -d)/embryo-${CELLS}x$FRAMES
node lab/lineages/embryo.mjs "$folder" --cells "$CELLS" --frames "$FRAMES"
for threads in 16 2; do
  node lab/lineages/solve.mjs "$folder" --seconds "$SECONDS_EACH" --threads $threads --rows "$OUT/tracks/lineages.jsonl"
done
