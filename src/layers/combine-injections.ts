import { priority } from "../core/priority.ts"
import { type Fit, type Injection, isEmptyValue } from "../core/value.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { dialectNames } from "../dialect/dialect-names.ts"
import { renderNotice } from "../dialect/render-notice.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { type TurnLook, turnInjections } from "./turn-injections.ts"
import type { TurnState } from "./turn-state.ts"

/**
 * The stack's items, then the turn's own. Where both have a key, what the turn really has comes last and so takes the
 * slot; an empty one leaves it to the stack's item.
 */
export function combineInjections(stack: PromptStack, state: TurnState | undefined, dialect: Dialect): Injection[] {
  const items = stack.items().map(withFit)
  if (!state) return items
  const words = lookOf(dialect)
  const fromStack = new Set(items.map(({ key }) => key))
  const own = turnInjections(state, words).filter(({ key, content }) => !isEmptyValue(content) || !fromStack.has(key))
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

/** A dialect that lists tools twice, in short and with their parameters, has a file for the second list. */
function toolParameters(own: readonly Injection[], dialect: Dialect): Injection[] {
  if (!dialect.files.has("tool_parameters")) return []
  return own.filter(({ key }) => key === "tools").map((tools) => ({ ...tools, key: "tool_parameters" }))
}

/** What only answers conditions; left out where a dialect asks for none of it. */
function flags({ memoryOn = true }: TurnState, dialect: Dialect): Injection[] {
  if (!memoryOn || !dialectNames(dialect).conditions.has("memory_on")) return []
  const flag = { key: "memory_on", content: true, trust: "author", priority: priority.default, role: "system" } as const
  return [{ ...flag, scope: "session", enabled: true }]
}

/** An item of the stack that says nothing about the budget: a turn's goes before a session's, a session's before the profile's. */
function withFit(injection: Injection): Injection {
  if (injection.fit) return injection
  const known = withFits.get(injection) ?? { ...injection, fit: defaultFits[injection.scope] }
  withFits.set(injection, known)
  return known
}

/** One for each item, so that what is kept by item is found again. */
const withFits = new WeakMap<Injection, Injection>()

const defaultFits: Record<Injection["scope"], Fit> = {
  turn: { rank: 30, shrink: "drop" },
  session: { rank: 60, shrink: "drop" },
  global: { rank: 80, shrink: "drop" },
}
