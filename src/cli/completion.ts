import { bashCompletion, fishCompletion, zshCompletion } from "./completion/scripts.js";
import { command, type DeclaredArgument, oneOf } from "./declaration/declaration.js";

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;
const NAMES = Object.keys(SHELLS) as (keyof typeof SHELLS)[];

const shell: DeclaredArgument<keyof typeof SHELLS> = {
  says: NAMES.join(", "),
  parse: (text) => oneOf(NAMES, text),
  required: true,
  several: false,
};

export const completion = command({
  group: "About this program and machine",
  summary: "Print what makes a shell complete rmap's commands, options and their values.",
  arguments: { shell },
  options: {},
  examples: [
    "rmap completion bash > ~/.local/share/bash-completion/completions/rmap",
    "rmap completion zsh > ~/.zfunc/_rmap          # in a folder of $fpath",
    "rmap completion fish > ~/.config/fish/completions/rmap.fish",
  ],
  async run({ shell }, _, { commands }) {
    const script = SHELLS[shell](await commands());
    return { text: script, json: { shell, script } };
  },
});
