#!/usr/bin/env bash
# Crowds in windows on the cores of one machine, by threads of one process and by shards of a core each: rows for lab/results/windows-cores.jsonl.
#     OUT=folder [UNTIL=560] [KINDS="shards copies threads one"] [POOLS="4 16"] bash lab/windows/cores.sh [FRAMES] [CORES] [TARGETS …]
# A core is a physical one with all its hardware threads (physical.mjs): what solves and what V8 compiles in beside it share it, in shards as in the run of one core. Where the
# machine has fewer of them than said, each of its processors passes for one. Runs of all cores are made alone, and then those of one core side by side, all told to end UNTIL
# seconds after the beginning: a row says how many windows its run had closed. What the machine allows is measured by a run of the first 1,254 frames alone, and by as many such runs
# at once as there are cores.
set -uo pipefail
frames=${1:-20000} cores=${2:-16}
shift 2
targets=("${@:-12}")
kinds=" ${KINDS:-shards copies threads one} "
here=$PWD out=${OUT:-/tmp/cores} until=$((SECONDS + ${UNTIL:-560}))
mkdir -p "$out" && work=$(mktemp -d) && cd "$work" || exit
lscpu -e > "$out/lscpu.txt"
mapfile -t sets < <(node "$here/lab/windows/physical.mjs" "$cores" "$out/windows-cores.jsonl")
((${#sets[@]} == cores)) || mapfile -t sets < <(seq 0 $((cores - 1)))
all=$(IFS=,; echo "${sets[*]}")
# Ninety-six windows: six for each of 16 shards.
window=$(((frames + 94) / 96))
now() { date +%s.%N; }
on() { # processors input folder options …
  local left=$((until - SECONDS))
  timeout -s INT "$((left > 1 ? left : 1))" taskset -c "$1" node -r "$here/lab/windows/cpu.cjs" "$here/dist/cli/main.js" solve "$2.csv" --window "$window" --learn 300 -q -o "$3" "${@:4}" > /dev/null
}
row() { # kind count targets pool folder began [learned made] ended
  node -e '
    const [kind, count, targets, pool, sets, window, folder, ...times] = process.argv.slice(1);
    const read = (file) => require("fs").readFileSync(file, "utf8");
    const lines = (file) => read(file).trim().split("\n").filter(Boolean);
    const { lowerBound, upperBound, detections, frames, version, revision, node, cpu: model, cores, platform, date } = JSON.parse(read(folder + "/result.json"));
    const [began, ...marks] = times.map(Number);
    const digest = ["tracks.csv", "windows.jsonl"].map((name) => require("crypto").createHash("sha256").update(read(`${folder}/${name}`)).digest("hex").slice(0, 12)).join(" ");
    const seconds = marks.map((end, k) => +(end - (marks[k - 1] ?? began)).toFixed(2));
    const phases = seconds.length === 3 ? { learn: seconds[0], shards: seconds[1], join: seconds[2] } : {};
    const processes = lines(folder + ".cpu").map(JSON.parse);
    console.log(JSON.stringify({ benchmark: "windows-cores", kind, count: +count, targets: +targets, seconds: +(marks.at(-1) - began).toFixed(2), ...phases,
      processes, digest, pool: +pool, sets, frames, detections, window: +window, windows: lines(folder + "/windows.jsonl").length, lowerBound, upperBound, version, revision, node, cpu: model, cores, platform, date }));
  ' "$1" "$2" "$3" "$4" "${sets[*]:0:$2}" "$window" "${@:5}" >> "$out/windows-cores.jsonl"
}
threads() { # targets count processors pool
  local began folder=threads-$1-$2-$4; began=$(now)
  CPU_FILE=$folder.cpu NODE_OPTIONS=--v8-pool-size=$4 on "$3" "$1" "$folder" --threads "$2"
  row threads "$2" "$1" "$4" "$folder" "$began" "$(now)"
}
shards() { # targets
  local began learned made folder=shards-$1 shards=(); began=$(now)
  export CPU_FILE=$folder.cpu
  on "$all" "$1" "$folder" --threads "$cores" --shard "0/$cores"
  learned=$(now)
  for k in "${!sets[@]}"; do on "${sets[k]}" "$1" "$folder" --threads 1 --shard "$((k + 1))/$cores" & shards+=($!); done
  wait "${shards[@]}"
  made=$(now)
  on "$all" "$1" "$folder" --threads "$cores"
  row shards "$cores" "$1" 4 "$folder" "$began" "$learned" "$made" "$(now)"
}
copies() { # targets count: the first windows, as often as said at once
  local began folder=copies-$1-$2 copies=(); began=$(now)
  for ((k = 0; k < $2; k++)); do CPU_FILE=$folder.cpu on "${sets[k]}" "$1-first" "$folder-$k" --threads 1 & copies+=($!); done
  wait "${copies[@]}"
  mv "$folder-0" "$folder" && row copies "$2" "$1" 4 "$folder" "$began" "$(now)"
}
for t in "${targets[@]}"; do
  # The density of 12 targets in a field of 14 by 14.
  node "$here/lab/windows/long.mjs" "$frames" "$t" 1 "$(node -p "Math.round(14 * Math.sqrt($t / 12))")" > "$t.csv"
  awk -F, 'FNR <= 2 || $1 < 1254' "$t.csv" > "$t-first.csv"
  [[ $kinds != *" shards "* ]] || shards "$t"
done
[[ $kinds != *" copies "* ]] || for count in 1 "$cores"; do copies "${targets[0]}" "$count"; done
[[ $kinds != *" threads "* ]] || for pool in ${POOLS:-4 "$cores"}; do threads "${targets[0]}" "$cores" "$all" "$pool"; done
ones=() core=0
[[ $kinds != *" one "* ]] || for t in "${targets[@]}"; do
  threads "$t" 1 "${sets[core]}" 4 & ones+=($!)
  core=$(((core + 1) % cores))
done
wait "${ones[@]}"
for run in shards-*/ threads-*-"$cores"-*/; do
  one=threads-$(cut -d- -f2 <<< "${run%/}")-1-4
  [[ -d $run && -d $one ]] || continue
  for file in tracks.csv windows.jsonl; do cmp -s "$one/$file" "$run$file" || echo "$run$file differs"; done
done
node -e '
  const rows = require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n").map(JSON.parse);
  for (const { kind, count, targets, pool, windows, seconds, learn, shards, join, processes } of rows) {
    if (kind === "topology") continue;
    const one = rows.find((row) => row.kind === (kind === "copies" ? kind : "threads") && row.count === 1 && row.targets === targets)?.seconds;
    const cpu = (of) => processes.reduce((sum, each) => sum + each[of], 0).toFixed(1);
    console.log(kind.padEnd(8), String(targets).padStart(3), String(count).padStart(3), `pool ${pool}`, seconds.toFixed(1).padStart(7), "s", (one / seconds).toFixed(2).padStart(6), "x",
      `solving ${cpu("solving")} helping ${cpu("helping")} windows ${windows}`, learn === undefined ? "" : `learn ${learn.toFixed(1)}, shards ${shards.toFixed(1)}, join ${join.toFixed(1)}`);
  }
' "$out/windows-cores.jsonl"
cd / && rm -rf "$work"
