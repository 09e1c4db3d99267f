import type { Stability } from "../../core/scope.ts"
import { promptVariables } from "../../layers/prompt-names.ts"

/** How often what lands in a slot changes, where it is known from the slot alone. */
const known: ReadonlyMap<string, Stability> = new Map([
  ["persona", "global"],
  ["format", "global"],
  ["skills", "global"],
  ["standing", "global"],
  ["final_system", "global"],
  ["base", "global"],
  ...promptVariables.map((name) => [name, "global"] as const),
  ["tools", "session"],
  ["tool_groups", "session"],
  ["memory_on", "session"],
  ["history", "conversation"],
])

/** The stability of what stands in a slot's place, or on a condition, while it is empty: `turn` for a slot of somebody's own. */
export function usualStability(slot: string): Stability {
  return known.get(slot) ?? "turn"
}
