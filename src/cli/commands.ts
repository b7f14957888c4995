import type { Called, CommandDeclaration, CommandGroup } from "./declaration/declaration.js";

/** The commands in the order of the help. Each is loaded only when it is called, and all of them for --help, since together they take most of a second. */
export const COMMANDS: Readonly<Record<string, () => Promise<CommandDeclaration | CommandGroup>>> = {
  init: async () => (await import("./init.js")).init,
  solve: async () => (await import("./solve.js")).solve,
  track: async () => (await import("./track/track.js")).track,
  evaluate: async () => (await import("./evaluate.js")).evaluate,
  page: async () => (await import("./page/page.js")).page,
  summary: async () => (await import("./summary.js")).summary,
  export: async () => (await import("./export.js")).exportTracks,
  check: async () => (await import("./check.js")).check,
  model: async () => (await import("./model.js")).model,
  simulate: async () => (await import("./simulate.js")).simulate,
  render: async () => (await import("./render.js")).render,
  detect: async () => (await import("./detect.js")).detect,
  match: async () => (await import("./match.js")).match,
  link: async () => (await import("./link.js")).link,
  follow: async () => (await import("./follow.js")).followCommand,
  "fit-links": async () => (await import("./fit-links.js")).fitLinks,
  flow: async () => (await import("./flow/flow.js")).flow,
  sweep: async () => (await import("./sweep.js")).sweep,
  merge: async () => (await import("./merge.js")).merge,
  slurm: async () => (await import("./slurm.js")).slurm,
  worker: async () => (await import("./worker.js")).worker,
  regress: async () => (await import("./regress.js")).regressCommand,
  report: async () => (await import("./report.js")).report,
  bench: async () => (await import("./bench.js")).bench,
  devices: async () => (await import("./devices.js")).devices,
  help: async () => (await import("./help.js")).help,
  completion: async () => (await import("./completion.js")).completion,
};

/** All that do something, those of groups one by one. */
export async function allCommands(): Promise<Called[]> {
  const all = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]): Promise<Called[]> => {
      const declared = await load();
      if (!("commands" in declared)) return [{ words: [name], declared }];
      return Object.entries(declared.commands).map(([inner, one]) => ({ words: [name, inner], declared: one }));
    }),
  );
  return all.flat();
}
