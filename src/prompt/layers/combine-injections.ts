import { authored, type Memo, memoKind } from "../../core/memo.ts"
import { type FitRule, type Injection, isEmptyValue, priority } from "../../core/value.ts"
import { type Dialect, dialectNames, type PromptFile, templateNames } from "../dialect/dialect.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import { byPriority } from "../stack/injection.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { promptSlots, turnKeys } from "./prompt-names.ts"
import { type TurnLook, turnInjections } from "./turn-injections.ts"
import type { TurnState } from "./turn-state.ts"

const ownSlots: ReadonlySet<string> = new Set(promptSlots)

/** The slot of a key. Several items can share one: `lorebook/3` is printed in the slot `lorebook`. The agent's own slots are not shared. */
export function slotOf(key: string): string {
  const end = key.indexOf("/")
  if (end < 0) return key
  const slot = key.slice(0, end)
  return ownSlots.has(slot) ? key : slot
}

/** The injections of a request, and the ways in which items of the stack are hidden by them. */
export interface CombinedInjections {
  readonly injections: readonly Injection[]
  /** Keys of the stack's items that are left out, because only a turn may fill them, see {@link turnKeys}. */
  readonly reserved: readonly string[]
  /** True if an injection of the turn may stand in the place of an item of the stack. */
  readonly hides: boolean
}

/**
 * The items of the stack, then the turn's own injections. If both have one key, the turn's comes last and so fills the slot; an empty
 * one of the turn leaves the slot to the stack's item, except for {@link turnKeys}.
 */
export function combineInjections(
  stack: PromptStack,
  state: TurnState | undefined,
  { dialect, memo }: { readonly dialect: Dialect; readonly memo: Memo },
): CombinedInjections {
  const items: Injection[] = []
  const reserved: string[] = []
  const fromStack = new Set<string>()
  let hides = false
  for (const item of stack.items()) {
    if (state && item.enabled && turnKeys.has(item.key)) {
      items.push({ ...item, enabled: false })
      reserved.push(item.key)
      continue
    }
    // Without a `fit` it gets that of its scope: items of the turn are cut first, then those of the session, then global ones.
    items.push(item.fit ? item : memo.made(withFits, item, () => ({ ...item, fit: defaultFits[item.scope] })))
    if (state) fromStack.add(item.key)
  }
  if (!state) return { injections: items, reserved, hides }
  const look = authored.made(looks, dialect, findLook)
  let tools: Injection | undefined
  for (const injection of turnInjections(state, look, memo)) {
    const isKnown = fromStack.has(injection.key)
    if (isKnown && isEmptyValue(injection.content)) continue
    hides ||= isKnown
    items.push(injection)
    if (injection.key === "tools") tools = injection
  }
  // Some dialects list tools in short, and again with their parameters.
  if (tools && dialect.files.has("tool_parameters")) items.push({ ...tools, key: "tool_parameters" })
  const { memoryOn = true, keepsToSchema = false } = state
  if (memoryOn && look.conditions.has("memory_on")) items.push({ ...flag, key: "memory_on", scope: "session" })
  if (keepsToSchema && look.conditions.has("decision_schema")) items.push({ ...flag, key: "decision_schema", scope: "global" })
  hides ||= reserved.length > 0 || fromStack.has("tool_parameters") || fromStack.has("memory_on")
  return { injections: items, reserved, hides }
}

const flag = { content: true, trust: "author", priority: priority.default, role: "system", enabled: true } as const

const none: ReadonlySet<string> = new Set()

/** The part of a turn's look that depends on the dialect. */
interface DialectLook extends TurnLook {
  /** The names on which a prompt has a condition. */
  readonly conditions: ReadonlySet<string>
}

/** The look of a dialect. It is found once. */
const looks = memoKind<Dialect, DialectLook>()

function findLook(dialect: Dialect): DialectLook {
  const { byFile, conditions, messageLists } = dialectNames(dialect)
  // Only where history is messages: in a text, two answers may follow each other.
  const needsQuestions = byFile.has("unprompted") && messageLists.has("history")
  return {
    optional: renderNotice(dialect, "optional", {}),
    showsTime: byFile.get("history")?.has("time") === true || byFile.get("question")?.has("time") === true,
    ruledGroups: byFile.get("tool_groups") ?? none,
    unprompted: needsQuestions ? renderNotice(dialect, "unprompted", {}) : undefined,
    threw: (reason: string) => renderNotice(dialect, "tool-threw", { reason }),
    nativeHistory: messageLists.has("history") && byFile.get("history")?.has("output") === true,
    conditions,
  }
}

/** One copy for each item, so that what was made of it is found again. */
const withFits = memoKind<Injection, Injection>()

const defaultFits: Record<Injection["scope"], FitRule> = {
  turn: { rank: 30, shrink: "drop" },
  session: { rank: 60, shrink: "drop" },
  global: { rank: 80, shrink: "drop" },
}

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
