import { priority } from "../core/priority.ts"
import { type Fit, type Injection, isEmptyValue } from "../core/value.ts"
import { conditionsOf } from "../dialect/conditions.ts"
import type { Dialect } from "../dialect/dialect.ts"
import { listsMessages } from "../dialect/lists-messages.ts"
import { namesIn } from "../dialect/named.ts"
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
  const words: TurnLook = {
    optional: renderNotice(dialect, "optional", {}),
    showsTime: namesOf(dialect, "history").has("time") || namesOf(dialect, "question").has("time"),
    ruledGroups: namesOf(dialect, "tool_groups"),
    unprompted: unpromptedLine(dialect),
  }
  const fromStack = new Set(items.map(({ key }) => key))
  const own = turnInjections(state, words).filter(({ key, content }) => !isEmptyValue(content) || !fromStack.has(key))
  return [...items, ...own, ...toolParameters(own, dialect), ...flags(state, dialect)]
}

const none: ReadonlySet<string> = new Set()

/** What a file of the dialect asks for. */
function namesOf({ files }: Dialect, name: string): ReadonlySet<string> {
  const file = files.get(name)
  return file ? namesIn(file.template.nodes) : none
}

/** Only where history is messages: in a text nobody minds two answers one after the other. */
function unpromptedLine(dialect: Dialect): string | undefined {
  const isWanted = dialect.files.has("unprompted") && listsMessages(dialect, "history")
  return isWanted ? renderNotice(dialect, "unprompted", {}) : undefined
}

/** A dialect that lists tools twice, in short and with their parameters, has a file for the second list. */
function toolParameters(own: readonly Injection[], dialect: Dialect): Injection[] {
  if (!dialect.files.has("tool_parameters")) return []
  return own.filter(({ key }) => key === "tools").map((tools) => ({ ...tools, key: "tool_parameters" }))
}

/** What only answers conditions; left out where a dialect asks for none of it. */
function flags({ memoryOn = true }: TurnState, dialect: Dialect): Injection[] {
  if (!memoryOn || !conditionsOf(dialect).has("memory_on")) return []
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
