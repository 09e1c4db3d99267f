import type { Decision, Span } from "../core/span.ts"
import { type Injection, isEmptyValue } from "../core/value.ts"
import type { PromptFile } from "../dialect/dialect.ts"
import { valueTokens } from "./entry-tokens.ts"
import type { FitStep, Fitted } from "./fit-options.ts"
import { namesOf } from "./landing.ts"
import type { MessageCounter } from "./tokens/counted-message.ts"

/** What decisions are told from. */
export interface Outcome {
  /** By key, where the injection that the prompt is made from stands among those given. */
  readonly places: ReadonlyMap<string, number>
  readonly file: PromptFile
  readonly fitted: Fitted
  readonly spans: readonly Span[]
  readonly counter: MessageCounter
}

/**
 * One decision for each injection that was given, enabled and not empty, in the order given; those that another one of
 * their key replaced come last (rule 1: nothing is lost silently).
 */
export function decide(given: readonly Injection[], outcome: Outcome): Decision[] {
  const { places, fitted, counter } = outcome
  const steps = new Map<string, FitStep>()
  for (const step of fitted.steps) steps.set(step.key, step)
  const toTokens = tokensByKey(outcome.spans)
  // Mostly each injection has a key of its own and prints: then nothing has to be looked for.
  const isEach = places.size === given.length
  const decisions: Decision[] = []
  const replaced: Decision[] = []
  for (let place = 0; place < given.length; place++) {
    const injection = given[place]
    if (!injection || (!isEach && !isWanted(injection))) continue
    const { key } = injection
    const step = steps.get(key)
    if (!isEach && (places.get(key) ?? place) !== place)
      replaced.push(unplaced(injection, "another injection of its key took its place", counter))
    else if (step) decisions.push(cutDecision(step, step.fromTokens ?? fitted.fromTokens(key), toTokens.get(key) ?? 0))
    else {
      const tokens = toTokens.get(key)
      decisions.push(tokens !== undefined && fitted.draft.printed.has(key) ? kept(key, tokens) : notPrinted(injection, outcome))
    }
  }
  return [...decisions, ...replaced]
}

function isWanted({ enabled, content }: Injection): boolean {
  return enabled && !isEmptyValue(content)
}

function kept(key: string, tokens: number): Decision {
  return { key, fate: "kept", fromTokens: tokens, toTokens: tokens, reason: "" }
}

function cutDecision({ key, cut, reason }: FitStep, fromTokens: number, toTokens: number): Decision {
  // A placeholder that stands in its place is not what is left of it.
  return "dropped" in cut
    ? { key, fate: "dropped", fromTokens, toTokens: 0, reason }
    : { key, fate: "shortened", fromTokens, toTokens, reason }
}

function notPrinted(injection: Injection, { places, file, counter }: Outcome): Decision {
  const { key } = injection
  const names = namesOf(file.template.nodes)
  if (file.omit.includes(key)) return unplaced(injection, "the prompt file omits it", counter)
  if (!places.has(key)) return unplaced(injection, "nothing visible was left of it", counter)
  if (injection.content === true)
    return names.conditions.has(key)
      ? kept(key, 0)
      : unplaced(injection, "it is a flag, and the prompt file has no condition on it", counter)
  const slot = names.slots.has(key) ? "its slot stands in a branch that was not taken" : "the file that prints it left it out"
  return unplaced(injection, slot, counter)
}

function unplaced({ key, content }: Injection, reason: string, counter: MessageCounter): Decision {
  return { key, fate: "unplaced", fromTokens: valueTokens(content, counter), toTokens: 0, reason }
}

function tokensByKey(spans: readonly Span[]): ReadonlyMap<string, number> {
  const tokens = new Map<string, number>()
  let [key, sum] = ["", 0]
  const add = (): unknown => tokens.set(key, (tokens.get(key) ?? 0) + sum)
  for (const span of spans) {
    if (span.key !== key) {
      add()
      key = span.key
      sum = 0
    }
    sum += span.tokens
  }
  add()
  return tokens
}
