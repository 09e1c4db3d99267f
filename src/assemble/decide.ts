import type { TokenCounter } from "../core/ports.ts"
import type { Decision, Span } from "../core/span.ts"
import { type Injection, isEmptyValue, isText, type Value } from "../core/value.ts"
import type { PromptFile } from "../dialect/dialect.ts"
import type { Draft } from "./draft.ts"
import type { FitStep, Fitted } from "./fit-state.ts"
import { namesOf } from "./landing.ts"

/** What decisions are told from. */
export interface Outcome {
  /** The injections that the prompt is made from by key, as they were given. */
  readonly live: ReadonlyMap<string, Injection>
  readonly file: PromptFile
  readonly fitted: Fitted
  readonly spans: readonly Span[]
  readonly counter: TokenCounter
}

/**
 * One decision for each injection that was given, enabled and not empty, in the order given; those that another one of
 * their key replaced come last (rule 1: nothing is lost silently).
 */
export function decide(given: readonly Injection[], outcome: Outcome): Decision[] {
  const { live, fitted, counter } = outcome
  const steps = new Map(fitted.steps.map((step) => [step.key, step]))
  const toTokens = tokensByKey(outcome.spans)
  const wanted = given.filter(({ enabled, content }) => enabled && !isEmptyValue(content))
  const isReplaced = (injection: Injection) => (live.get(injection.key) ?? injection) !== injection
  const own = wanted
    .filter((injection) => !isReplaced(injection))
    .map((injection) => {
      const { key } = injection
      const step = steps.get(key)
      if (step) return cutDecision(step, toTokens.get(key) ?? 0, outcome)
      return fitted.draft.printed.has(key) ? kept(key, toTokens.get(key) ?? 0) : notPrinted(injection, outcome)
    })
  const others = wanted
    .filter(isReplaced)
    .map((injection) => unplaced(injection, "another injection of its key took its place", counter))
  return [...own, ...others]
}

function kept(key: string, tokens: number): Decision {
  return { key, fate: "kept", fromTokens: tokens, toTokens: tokens, reason: "" }
}

function cutDecision({ key, cut, reason }: FitStep, tokens: number, { fitted, counter }: Outcome): Decision {
  const fromTokens = tokensOf(key, fitted.whole, counter)
  // A placeholder that stands in its place is not what is left of it.
  return "dropped" in cut
    ? { key, fate: "dropped", fromTokens, toTokens: 0, reason }
    : { key, fate: "shortened", fromTokens, toTokens: tokens, reason }
}

function notPrinted(injection: Injection, { live, file, counter }: Outcome): Decision {
  const { key } = injection
  const names = namesOf(file.template.nodes)
  if (file.omit.includes(key)) return unplaced(injection, "the prompt file omits it", counter)
  if (!live.has(key)) return unplaced(injection, "nothing visible was left of it", counter)
  if (injection.content === true)
    return names.conditions.has(key)
      ? kept(key, 0)
      : unplaced(injection, "it is a flag, and the prompt file has no condition on it", counter)
  const slot = names.slots.has(key) ? "its slot stands in a branch that was not taken" : "the file that prints it left it out"
  return unplaced(injection, slot, counter)
}

function unplaced({ key, content }: Injection, reason: string, counter: TokenCounter): Decision {
  const fromTokens = textsOf(content).reduce((sum, text) => sum + counter.count(text), 0)
  return { key, fate: "unplaced", fromTokens, toTokens: 0, reason }
}

function tokensByKey(spans: readonly Span[]): ReadonlyMap<string, number> {
  const tokens = new Map<string, number>()
  for (const span of spans) tokens.set(span.key, (tokens.get(span.key) ?? 0) + span.tokens)
  return tokens
}

function tokensOf(key: string, draft: Draft, counter: TokenCounter): number {
  return draft.pieces.reduce((sum, piece) => (piece.key === key ? sum + counter.count(piece.text) : sum), 0)
}

function textsOf(value: Value): string[] {
  if (typeof value === "boolean") return []
  if (typeof value === "string") return [value]
  return isText(value) ? [value.text] : value.flatMap((entry) => Object.values(entry).flatMap(textsOf))
}
