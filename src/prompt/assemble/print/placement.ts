import { type Injection, isEmptyValue } from "../../../core/value.ts"
import { type PromptFile, templateNames } from "../../dialect/dialect.ts"
import { slotOf } from "../../layers/combine-injections.ts"
import { byPriority } from "../../stack/injection.ts"

/** The slots in which a prompt's injections are printed. */
export interface Placement {
  /** Injections by slot. The slots `rest`, `developer` and `standing` collect injections that have no slot of their own. */
  readonly slots: Map<string, Injection[]>
  /** Names for which a condition is true. */
  readonly held: Set<string>
}

/** Slots that collect other injections. No injection gets one of them by its key. */
const collecting: ReadonlySet<string> = new Set(["rest", "developer", "standing"])

/**
 * Gives each injection its slot: the slot of its key, if the file has one; `slot/name` shares the slot `slot`. Others, unless the file omits them, go to a collecting
 * slot by ascending priority, equal ones in the order given. A developer item goes to `developer`, if the file has that slot and
 * the model has the role. A global item, and one that stays as it is for the session, goes to `standing`, if the file has that slot,
 * so that it stands in a provider's cache.
 * All others go to `rest`. Flags are not printed; they only answer conditions.
 */
export function placeInjections(
  injections: readonly Injection[],
  file: PromptFile,
  { developerRole = false }: { readonly developerRole?: boolean | undefined } = {},
): Placement {
  const { slots: names, conditions, all } = templateNames(file.template.nodes)
  const [rest, developers, standing]: [Injection[], Injection[], Injection[]] = [[], [], []]
  const slots = new Map<string, Injection[]>([
    ["rest", rest],
    ["developer", developers],
    ["standing", standing],
  ])
  const held = new Set<string>()
  const hasDeveloper = developerRole && names.has("developer")
  const hasStanding = names.has("standing")
  let isSorted = true
  for (let at = 1; at < injections.length; at++)
    if ((injections[at]?.priority ?? 0) < (injections[at - 1]?.priority ?? 0)) isSorted = false
  for (const injection of isSorted ? injections : injections.toSorted(byPriority)) {
    const { key, content, role, scope, stability, enabled } = injection
    const slot = slotOf(key)
    if (!enabled || file.omit.includes(slot) || isEmptyValue(content)) continue
    const isNamed = all.has(slot) && !collecting.has(slot)
    if (isNamed && conditions.has(slot)) held.add(slot)
    if (content === true) continue
    if (isNamed && names.has(slot)) {
      const own = slots.get(slot)
      if (own) own.push(injection)
      else slots.set(slot, [injection])
    } else if (hasDeveloper && role === "developer") developers.push(injection)
    else (hasStanding && (scope === "global" || stability === "session") ? standing : rest).push(injection)
  }
  for (const [slot, placed] of slots) if (placed.length > 0) held.add(slot)
  return { slots, held }
}
