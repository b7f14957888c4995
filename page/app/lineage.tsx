/** The tree of a target that divides: time runs down, and a line is a track. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { trackColour } from "../view/colours.js";
import type { Answer } from "../worker/protocol.js";
import { lookAt } from "./actions.js";
import * as state from "./state.js";

interface Branch {
  readonly track: number;
  /** Its first detection. */
  readonly head: number;
  readonly first: number;
  readonly last: number;
  x: number;
  readonly daughters: Branch[];
}

/** The whole family of a track: from its first mother down. */
function familyOf({ track, next, mothers }: Answer, chosen: number, frameOf: Uint32Array): Branch | null {
  let root = chosen;
  for (let mother = mothers.get(root); mother !== undefined; mother = mothers.get(root)) root = mother;
  const daughters = new Map<number, number[]>();
  for (const [daughter, mother] of mothers) daughters.set(mother, [...(daughters.get(mother) ?? []), daughter]);
  if (!daughters.has(root)) return null;
  let leaves = 0;
  const branch = (one: number): Branch => {
    const head = track.indexOf(one);
    let last = head;
    while (next[last] >= 0) last = next[last];
    const below = (daughters.get(one) ?? []).map(branch);
    const x = below.length === 0 ? leaves++ : below.reduce((sum, each) => sum + each.x, 0) / below.length;
    return { track: one, head, first: frameOf[head], last: frameOf[last], x, daughters: below };
  };
  return branch(root);
}

const all = (branch: Branch): Branch[] => [branch, ...branch.daughters.flatMap(all)];

export function Lineage({ track }: { readonly track: number }) {
  const shown = useRef<HTMLDivElement>(null);
  // A wide family is shown where the chosen one is.
  useLayoutEffect(() => {
    const chosen = shown.current?.querySelector<SVGPathElement>(".chosen")?.getBBox();
    if (chosen !== undefined) shown.current?.scrollTo({ left: chosen.x - 0.5 * shown.current.clientWidth });
  }, [track]);
  const answer = state.answer.value;
  if (answer === null) return null;
  const root = familyOf(answer, track, state.frameOf.value);
  if (root === null) return null;
  const branches = all(root);
  const leaves = Math.max(...branches.map(({ x }) => x)) + 1;
  const last = Math.max(...branches.map((one) => one.last));
  const [width, height] = [Math.max(200, 14 * leaves), 180];
  const x = (at: number) => ((at + 0.5) / leaves) * width;
  const y = (frame: number) => ((frame - root.first) / (last - root.first || 1)) * height;
  const choose = (one: Branch) => {
    state.selected.value = one.track;
    lookAt(one.head);
  };
  return (
    <div class="lineage" ref={shown}>
      <p>Its family has {branches.length} tracks; time runs down.</p>
      <svg viewBox={`-4 -6 ${width + 8} ${height + 12}`} width={width + 8} height={height + 12}>
        <title>lineage tree</title>
        {branches.map((one) => (
          <g key={one.track}>
            {one.daughters.map((daughter) => (
              <path
                key={daughter.track}
                class="fork"
                d={`M${x(one.x)} ${y(one.last)}L${x(daughter.x)} ${y(daughter.first)}`}
              />
            ))}
            {/* biome-ignore lint/a11y/useSemanticElements: HTML has no button inside of SVG */}
            <path
              role="button"
              tabindex={0}
              aria-label={`track ${one.track}`}
              aria-pressed={one.track === track}
              class={one.track === track ? "branch chosen" : "branch"}
              stroke={trackColour(one.track)}
              d={`M${x(one.x)} ${y(one.first)}V${Math.max(y(one.last), y(one.first) + 1)}`}
              onClick={() => choose(one)}
              onKeyDown={({ key }) => key === "Enter" && choose(one)}
            />
          </g>
        ))}
        {state.frame.value >= root.first && state.frame.value <= last && (
          <path class="now" d={`M0 ${y(state.frame.value)}H${width}`} />
        )}
      </svg>
    </div>
  );
}
