import type { FitDecision, Span } from "../core/span.ts"
import { type Injection, isEmptyValue } from "../core/value.ts"
import type { PromptFile } from "../dialect/dialect.ts"
import type { FitStep, Fitted, KeyPlaces } from "./fit/fit-state.ts"
import { namesOf } from "./print/placement.ts"
import { type MessageCounter, valueTokens } from "./tokens/counted-message.ts"

/** What decisions are told from. */
export interface Outcome {
  /** Where the injections that the prompt is made from stand among those given. */
  readonly places: KeyPlaces
  readonly file: PromptFile
  readonly fitted: Fitted
  readonly spans: readonly Span[]
  readonly counter: MessageCounter
}

/**
 * One decision for each injection that was given, enabled and not empty, in the order given; those that another one of
 * their key replaced come last, so that nothing is lost silently.
 */
export function decide(given: readonly Injection[], outcome: Outcome): FitDecision[] {
  const { places, fitted, counter } = outcome
  const steps = stepsByPlace(fitted.steps, places)
  const toTokens = tokensByPlace(outcome.spans, places)
  // Mostly each injection has a key of its own and prints: then nothing has to be looked for.
  const isEach = places.of.size === given.length
  const decisions: FitDecision[] = []
  const replaced: FitDecision[] = []
  for (let place = 0; place < given.length; place++) {
    const injection = given[place]
    if (!injection || (!isEach && !isWanted(injection))) continue
    const { key } = injection
    const step = steps[place]
    const tokens = toTokens[place]
    if (!isEach && (places.of.get(key) ?? place) !== place)
      replaced.push(unplaced(injection, "another injection of its key took its place", counter))
    else if (step) decisions.push(cutDecision(step, step.fromTokens ?? fitted.fromTokens(key), tokens ?? 0))
    else if (tokens !== undefined && fitted.draft.printed.has(key)) decisions.push(kept(key, tokens))
    else decisions.push(notPrinted(injection, outcome))
  }
  return [...decisions, ...replaced]
}

function isWanted({ enabled, content }: Injection): boolean {
  return enabled && !isEmptyValue(content)
}

function kept(key: string, tokens: number): FitDecision {
  return { key, fate: "kept", fromTokens: tokens, toTokens: tokens, reason: "" }
}

function cutDecision({ key, cut, reason }: FitStep, fromTokens: number, toTokens: number): FitDecision {
  // A placeholder that stands in its place is not what is left of it.
  return "dropped" in cut
    ? { key, fate: "dropped", fromTokens, toTokens: 0, reason }
    : { key, fate: "shortened", fromTokens, toTokens, reason }
}

function notPrinted(injection: Injection, { places, file, counter }: Outcome): FitDecision {
  const { key } = injection
  const names = namesOf(file.template.nodes)
  if (file.omit.includes(key)) return unplaced(injection, "the prompt file omits it", counter)
  if (!places.of.has(key)) return unplaced(injection, "nothing visible was left of it", counter)
  if (injection.content === true)
    return names.conditions.has(key)
      ? kept(key, 0)
      : unplaced(injection, "it is a flag, and the prompt file has no condition on it", counter)
  const slot = names.slots.has(key) ? "its slot stands in a branch that was not taken" : "the file that prints it left it out"
  return unplaced(injection, slot, counter)
}

function unplaced({ key, content }: Injection, reason: string, counter: MessageCounter): FitDecision {
  return { key, fate: "unplaced", fromTokens: valueTokens(content, counter), toTokens: 0, reason }
}

function stepsByPlace(steps: readonly FitStep[], { of, count }: KeyPlaces): readonly (FitStep | undefined)[] {
  const byPlace = new Array<FitStep | undefined>(count).fill(undefined)
  for (const step of steps) {
    const place = of.get(step.key)
    if (place !== undefined) byPlace[place] = step
  }
  return byPlace
}

/** What each injection has of the request, by its place; `undefined` for one of which nothing stands there. */
function tokensByPlace(spans: readonly Span[], { of, count }: KeyPlaces): readonly (number | undefined)[] {
  const byPlace = new Array<number | undefined>(count).fill(undefined)
  let [key, place] = ["", of.get("")]
  for (const span of spans) {
    if (span.key !== key) {
      key = span.key
      place = of.get(key)
    }
    if (place !== undefined) byPlace[place] = (byPlace[place] ?? 0) + span.tokens
  }
  return byPlace
}
