import { type FitRule, type Injection, isEmptyValue, priority } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { dialectNames } from "../dialect/dialect-names.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { type TurnLook, turnInjections } from "./turn-injections.ts"
import type { TurnState } from "./turn-state.ts"

/**
 * The items of the stack, then the turn's own injections. If both have one key, the turn's comes last and so fills the slot; an empty
 * one of the turn leaves the slot to the stack's item.
 */
export function combineInjections(stack: PromptStack, state: TurnState | undefined, dialect: Dialect): Injection[] {
  const items: Injection[] = []
  const fromStack = new Set<string>()
  for (const item of stack.items()) {
    items.push(withFit(item))
    fromStack.add(item.key)
  }
  if (!state) return items
  const own: Injection[] = []
  for (const injection of turnInjections(state, lookOf(dialect))) {
    if (!isEmptyValue(injection.content) || !fromStack.has(injection.key)) own.push(injection)
  }
  return [...items, ...own, ...toolParameters(own, dialect), ...flags(state, dialect)]
}

const none: ReadonlySet<string> = new Set()

const looks = new WeakMap<Dialect, TurnLook>()

/** The part of a turn's look that depends on the dialect; found once for each dialect. */
function lookOf(dialect: Dialect): TurnLook {
  const before = looks.get(dialect)
  if (before) return before
  const { byFile, messageLists } = dialectNames(dialect)
  // Only where history is messages: in a text, two answers may follow each other.
  const needsQuestions = byFile.has("unprompted") && messageLists.has("history")
  const look = {
    optional: renderNotice(dialect, "optional", {}),
    showsTime: byFile.get("history")?.has("time") === true || byFile.get("question")?.has("time") === true,
    ruledGroups: byFile.get("tool_groups") ?? none,
    unprompted: needsQuestions ? renderNotice(dialect, "unprompted", {}) : undefined,
  }
  looks.set(dialect, look)
  return look
}

/** The second list of tools, for dialects that list tools in short and again with their parameters. */
function toolParameters(own: readonly Injection[], dialect: Dialect): Injection[] {
  if (!dialect.files.has("tool_parameters")) return []
  return own.filter(({ key }) => key === "tools").map((tools) => ({ ...tools, key: "tool_parameters" }))
}

/** Flags for conditions in prompts, left out if the dialect uses none of them. */
function flags({ memoryOn = true }: TurnState, dialect: Dialect): Injection[] {
  if (!memoryOn || !dialectNames(dialect).conditions.has("memory_on")) return []
  const flag = { key: "memory_on", content: true, trust: "author", priority: priority.default, role: "system" } as const
  return [{ ...flag, scope: "session", enabled: true }]
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
