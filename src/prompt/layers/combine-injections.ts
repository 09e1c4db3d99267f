import { type FitRule, type Injection, isEmptyValue, priority } from "../../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { dialectNames } from "../dialect/dialect-names.ts"
import { renderNotice } from "../dialect/render-notice.ts"
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

/**
 * The items of the stack, then the turn's own injections. If both have one key, the turn's comes last and so fills the slot; an empty
 * one of the turn leaves the slot to the stack's item, except for {@link turnKeys}.
 */
export function combineInjections(stack: PromptStack, state: TurnState | undefined, dialect: Dialect): Injection[] {
  const items: Injection[] = []
  const fromStack = new Set<string>()
  let isHiding = false
  for (const item of stack.items()) {
    if (state && item.enabled && turnKeys.has(item.key)) {
      const left = { ...item, enabled: false }
      leftToTurn.add(left)
      isHiding = true
      items.push(left)
      continue
    }
    items.push(withFit(item))
    if (state) fromStack.add(item.key)
  }
  if (!state) return items
  const look = lookOf(dialect)
  let tools: Injection | undefined
  for (const injection of turnInjections(state, look)) {
    const isKnown = fromStack.has(injection.key)
    if (isKnown && isEmptyValue(injection.content)) continue
    isHiding ||= isKnown
    items.push(injection)
    if (injection.key === "tools") tools = injection
  }
  // Some dialects list tools in short, and again with their parameters.
  if (tools && dialect.files.has("tool_parameters")) items.push({ ...tools, key: "tool_parameters" })
  const { memoryOn = true } = state
  if (memoryOn && look.asksMemory) {
    const flag = { key: "memory_on", content: true, trust: "author", priority: priority.default, role: "system" } as const
    items.push({ ...flag, scope: "session", enabled: true })
  }
  if (isHiding || fromStack.has("tool_parameters") || fromStack.has("memory_on")) hiding.add(items)
  return items
}

/** Items of the stack that are left out because of their key, see {@link turnKeys}. */
export const leftToTurn = new WeakSet<Injection>()

/** Lists in which an injection of the turn may stand in the place of an item of the stack. */
export const hiding = new WeakSet<readonly Injection[]>()

const none: ReadonlySet<string> = new Set()

/** The part of a turn's look that depends on the dialect. */
interface DialectLook extends TurnLook {
  /** True if a prompt has a condition on the flag `memory_on`. */
  readonly asksMemory: boolean
}

const looks = new WeakMap<Dialect, DialectLook>()

/** The look of a dialect. It is found once. */
function lookOf(dialect: Dialect): DialectLook {
  const before = looks.get(dialect)
  if (before) return before
  const { byFile, conditions, messageLists } = dialectNames(dialect)
  // Only where history is messages: in a text, two answers may follow each other.
  const needsQuestions = byFile.has("unprompted") && messageLists.has("history")
  const look = {
    optional: renderNotice(dialect, "optional", {}),
    showsTime: byFile.get("history")?.has("time") === true || byFile.get("question")?.has("time") === true,
    showsAttachments: byFile.get("files")?.has("other") === true,
    ruledGroups: byFile.get("tool_groups") ?? none,
    unprompted: needsQuestions ? renderNotice(dialect, "unprompted", {}) : undefined,
    threw: (reason: string) => renderNotice(dialect, "tool-threw", { reason }),
    nativeHistory: messageLists.has("history") && byFile.get("history")?.has("output") === true,
    asksMemory: conditions.has("memory_on"),
  }
  looks.set(dialect, look)
  return look
}

/** Gives a stack item without a `fit` the default one of its scope: items of the turn are cut first, then those of the session, then global ones. */
function withFit(injection: Injection): Injection {
  if (injection.fit) return injection
  const known = withFits.get(injection) ?? { ...injection, fit: defaultFits[injection.scope] }
  withFits.set(injection, known)
  return known
}

/** One copy for each item, so that caches that are keyed by item find it again. */
const withFits = new WeakMap<Injection, Injection>()

const defaultFits: Record<Injection["scope"], FitRule> = {
  turn: { rank: 30, shrink: "drop" },
  session: { rank: 60, shrink: "drop" },
  global: { rank: 80, shrink: "drop" },
}
