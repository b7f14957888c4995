// What a process of rmap spends, by its threads, at its end, and its most memory in bytes: node -r ./lab/windows/cpu.cjs …, with the file to append a line to in CPU_FILE.
// The first thread solves where there is one; the four that V8 has compile, and collect garbage beside it.
const { appendFileSync, readdirSync, readFileSync } = require("node:fs");
const { isMainThread } = require("node:worker_threads");

if (isMainThread) {
  process.on("exit", () => {
    const seconds = readdirSync("/proc/self/task").map((thread) => {
      const fields = readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ")[1].split(" ");
      return (Number(fields[11]) + Number(fields[12])) / 100;
    });
    const all = seconds.reduce((sum, one) => sum + one, 0);
    appendFileSync(
      process.env.CPU_FILE,
      `${JSON.stringify({ solving: seconds[0], helping: +(all - seconds[0]).toFixed(2), maxResident: 1024 * process.resourceUsage().maxRSS })}\n`,
    );
  });
}
