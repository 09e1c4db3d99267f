import { type Injection, isEmptyValue, type SlotEntry } from "../../core/value.ts"
import type { PromptFile } from "../../dialect/dialect.ts"
import type { TemplateNode } from "../../template/ast.ts"

/** Where a prompt's injections print. */
export interface Landing {
  /** By slot; the slots `rest`, `developer` and `standing` collect what has none of its own. */
  readonly slots: ReadonlyMap<string, readonly Injection[]>
  /** Names that a condition finds filled, flags too. */
  readonly held: ReadonlySet<string>
}

/** Slots that collect other injections; none can claim them by its key. */
const collecting: ReadonlySet<string> = new Set(["rest", "developer", "standing"])

/**
 * Decides where each injection lands: in the slot of its key; what no slot names and the file does not omit goes to
 * the rest slot by ascending priority, equal ones in the order given; developer items go to the `developer` slot where
 * the file has one and the model has the role, and what never changes to the `standing` slot where the file has one, so
 * that it stands in a provider's cache. Flags print nowhere and only answer conditions.
 */
export function landing(
  injections: readonly Injection[],
  file: PromptFile,
  { developerRole = false }: { readonly developerRole?: boolean } = {},
): Landing {
  const { slots: names, conditions, all } = namesOf(file.template.nodes)
  const omitted = setOf(file.omit)
  const rest: Injection[] = []
  const developers: Injection[] = []
  const standing: Injection[] = []
  const slots = new Map([
    ["rest", rest],
    ["developer", developers],
    ["standing", standing],
  ])
  const held = new Set<string>()
  const land = (slot: string, injection: Injection) => {
    const landed = slots.get(slot)
    if (landed) landed.push(injection)
    else slots.set(slot, [injection])
  }
  const hasDeveloper = developerRole && names.has("developer")
  const hasStanding = names.has("standing")
  for (const injection of byPriority(injections)) {
    const { key, content, role, scope, enabled } = injection
    if (!enabled || omitted.has(key) || isEmptyValue(content)) continue
    const isNamed = all.has(key) && !collecting.has(key)
    if (isNamed && conditions.has(key)) held.add(key)
    if (content === true) continue
    if (isNamed && names.has(key)) land(key, injection)
    else if (hasDeveloper && role === "developer") developers.push(injection)
    else (hasStanding && scope === "global" ? standing : rest).push(injection)
  }
  for (const [slot, landed] of slots) if (landed.length > 0) held.add(slot)
  return { slots, held }
}

function byPriority(injections: readonly Injection[]): readonly Injection[] {
  const isSorted = injections.every(({ priority }, index) => priority >= (injections[index - 1]?.priority ?? priority))
  return isSorted ? injections : injections.toSorted((a, b) => a.priority - b.priority)
}

const sets = new WeakMap<readonly string[], ReadonlySet<string>>()

/** A list of names, to be looked up; made once per list. */
function setOf(names: readonly string[]): ReadonlySet<string> {
  const known = sets.get(names) ?? new Set(names)
  sets.set(names, known)
  return known
}

/** The entry that a rest item prints through `rest.md`. */
export function restEntry({ key, content }: Injection): SlotEntry {
  return { key: { text: key, trust: "author" }, content }
}

/** The names a template mentions, also in branches and placeholders. */
interface TemplateNames {
  readonly slots: ReadonlySet<string>
  readonly conditions: ReadonlySet<string>
  /** Both. */
  readonly all: ReadonlySet<string>
}

const known = new WeakMap<readonly TemplateNode[], TemplateNames>()

/** The names of a template's slots and conditions, found once per template. */
export function namesOf(nodes: readonly TemplateNode[]): TemplateNames {
  const before = known.get(nodes)
  if (before) return before
  const mentioned = { slots: new Set<string>(), conditions: new Set<string>() }
  collect(nodes, mentioned)
  const names = { ...mentioned, all: mentioned.slots.union(mentioned.conditions) }
  known.set(nodes, names)
  return names
}

function collect(nodes: readonly TemplateNode[], names: { slots: Set<string>; conditions: Set<string> }): void {
  for (const node of nodes) {
    if (node.type === "slot" || node.type === "messages") names.slots.add(node.name)
    if (node.type === "slot") collect(node.placeholder ?? [], names)
    if (node.type !== "conditional") continue
    names.conditions.add(node.name)
    collect(node.then, names)
    collect(node.otherwise, names)
  }
}
