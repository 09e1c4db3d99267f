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
 * The items of the stack, then the turn's own injections. If both have one key, the turn's comes last and so fills the slot; an empty
 * one of the turn leaves the slot to the stack's item.
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

/** The names that a file of the dialect uses. */
function namesOf({ files }: Dialect, name: string): ReadonlySet<string> {
  const file = files.get(name)
  return file ? namesIn(file.template.nodes) : none
}

/** The dialect's line for turns in which nobody spoke. Only a history of messages needs it, because there roles must alternate. */
function unpromptedLine(dialect: Dialect): string | undefined {
  const isWanted = dialect.files.has("unprompted") && listsMessages(dialect, "history")
  return isWanted ? renderNotice(dialect, "unprompted", {}) : undefined
}

/** The second list of tools, for dialects that list tools in short and again with their parameters. */
function toolParameters(own: readonly Injection[], dialect: Dialect): Injection[] {
  if (!dialect.files.has("tool_parameters")) return []
  return own.filter(({ key }) => key === "tools").map((tools) => ({ ...tools, key: "tool_parameters" }))
}

/** Flags for conditions in prompts, left out if the dialect uses none of them. */
function flags({ memoryOn = true }: TurnState, dialect: Dialect): Injection[] {
  if (!memoryOn || !conditionsOf(dialect).has("memory_on")) return []
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

const defaultFits: Record<Injection["scope"], Fit> = {
  turn: { rank: 30, shrink: "drop" },
  session: { rank: 60, shrink: "drop" },
  global: { rank: 80, shrink: "drop" },
}
