import type { FitDecision, Span } from "../../core/span.ts"
import { type Injection, isEmptyValue, isText } from "../../core/value.ts"
import { type PromptFile, templateNames } from "../dialect/dialect.ts"
import { cutBeforehandOf } from "../encode/marked-text.ts"
import { slotOf } from "../layers/combine-injections.ts"
import type { KeyPlaces } from "./fit/draft-items.ts"
import type { FitStep, FittedDraft } from "./fit/fit-state.ts"
import { type MessageCounter, valueTokens } from "./tokens/message-counter.ts"

/** The reason for an injection that is not in the request because a later one has its key. */
export const displaced = "another injection of its key took its place"

/** The reason for an item of a stack under a key that only the turn fills. */
export const reserved = "only a turn may fill its key"

/** An assembled request, from which decisions are read. */
interface Outcome {
  /** The places, among the given injections, of those that the prompt is made from. */
  readonly places: KeyPlaces
  /** Keys of items that are disabled because only a turn may fill them. */
  readonly reserved: readonly string[]
  readonly file: PromptFile
  readonly fitted: FittedDraft
  readonly spans: readonly Span[]
  readonly counter: MessageCounter
}

/**
 * Makes one decision for each given injection that is enabled and not empty, in the order given. Injections that were
 * replaced by another one of their key come last, so that nothing is lost silently.
 */
export function decide(given: readonly Injection[], outcome: Outcome): FitDecision[] {
  const { places, reserved: left, fitted, counter } = outcome
  const steps = new Map(fitted.steps.map((step) => [step.key, step]))
  const toTokens = tokensByPlace(outcome.spans, places)
  // Usually each injection has a key of its own and prints. Then no look-ups are needed.
  const allLive = places.of.size === given.length
  const decisions: FitDecision[] = []
  const replaced: FitDecision[] = []
  for (let place = 0; place < given.length; place++) {
    const injection = given[place]
    if (injection?.enabled === false && left.includes(injection.key)) replaced.push(unplaced(injection, reserved, counter))
    if (!injection || (!allLive && (!injection.enabled || isEmptyValue(injection.content)))) continue
    const { key, content } = injection
    const step = steps.get(key)
    const tokens = toTokens[place]
    const before = typeof content === "object" && isText(content) ? cutBeforehandOf(content) : undefined
    if (!allLive && (places.of.get(key) ?? place) !== place) replaced.push(unplaced(injection, displaced, counter))
    else if (step) {
      const fromTokens = before ? counter.text(before.text) : fitted.fromTokens(key)
      decisions.push(cutDecision(step, fromTokens, tokens ?? 0))
    } else if (tokens !== undefined && before)
      decisions.push({ key, fate: "shortened", fromTokens: counter.text(before.text), toTokens: tokens, reason: before.reason })
    else if (tokens !== undefined && fitted.draft.printed.has(key))
      decisions.push({ key, fate: "kept", fromTokens: tokens, toTokens: tokens, reason: "" })
    else decisions.push(notPrinted(injection, outcome))
  }
  return [...decisions, ...replaced]
}

function cutDecision({ key, cut, reason }: FitStep, fromTokens: number, toTokens: number): FitDecision {
  // The tokens of a placeholder that stands in its place do not count as its own.
  return "dropped" in cut
    ? { key, fate: "dropped", fromTokens, toTokens: 0, reason }
    : { key, fate: "shortened", fromTokens, toTokens, reason }
}

function notPrinted(injection: Injection, { places, file, counter }: Outcome): FitDecision {
  const { key } = injection
  const slot = slotOf(key)
  const names = templateNames(file.template.nodes)
  if (file.off?.includes(slot)) return unplaced(injection, "the profile leaves it out", counter)
  if (file.omit.includes(slot)) return unplaced(injection, "the prompt file omits it", counter)
  if (!places.of.has(key)) return unplaced(injection, "nothing visible was left of it", counter)
  if (injection.content === true)
    return names.conditions.has(slot)
      ? { key, fate: "kept", fromTokens: 0, toTokens: 0, reason: "" }
      : unplaced(injection, "it is a flag, and the prompt file has no condition on it", counter)
  const reason = names.slots.has(slot) ? "its slot stands in a branch that was not taken" : "the file that prints it left it out"
  return unplaced(injection, reason, counter)
}

function unplaced({ key, content }: Injection, reason: string, counter: MessageCounter): FitDecision {
  return { key, fate: "unplaced", fromTokens: valueTokens(content, counter), toTokens: 0, reason }
}

/** The tokens of each injection in the request, by its place; `undefined` for one that printed nothing. */
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
