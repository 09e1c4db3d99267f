import { checkOptions, checkType } from "../core/check-options.ts"
import { PromptStrataError } from "../core/errors.ts"
import type { ErrorEvidence } from "../core/evidence/error-evidence.ts"
import type { Assembly, Span } from "../core/span.ts"
import { type AssemblyDifference, claimsToBeStable, diffAssemblies } from "../trace/diff-assemblies.ts"
import { printDifference } from "../trace/print-trace.ts"

/** An object that shows the prompt of its next turn, such as a `Session`. */
export interface PreviewsPrompts {
  preview(text: string, options?: { readonly prompt?: string }): Promise<Assembly>
}

/** Settings of {@link expectStablePrefix} for a session. */
export interface StablePrefixOptions {
  /** A question for each turn to preview. Default: three questions. */
  readonly questions?: readonly string[]
  /** A prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
  /** Called between two previews, for what happens between turns: move a clock on, send a message. */
  readonly between?: (turn: number) => unknown
}

/**
 * Throws code `test` if a part of the prompt with stability `global` or `session` differs between two successive requests.
 * After such a change a provider's cache serves nothing that follows it. Takes the requests of several turns, made from one
 * prompt file.
 */
export function expectStablePrefix(requests: readonly Assembly[]): void
/** The same for a session: previews its next turn several times and compares the previews. */
export function expectStablePrefix(session: PreviewsPrompts, options?: StablePrefixOptions): Promise<void>
export function expectStablePrefix(
  given: readonly Assembly[] | PreviewsPrompts,
  options: StablePrefixOptions = {},
): void | Promise<void> {
  checkOptions("expectStablePrefix", options, "questions prompt between")
  if (Array.isArray(given)) return expectAllStable(given)
  const session = given as PreviewsPrompts
  checkType("the preview of the session of expectStablePrefix", session?.preview, "function")
  return previewAll(session, options).then(expectAllStable)
}

async function previewAll(session: PreviewsPrompts, options: StablePrefixOptions): Promise<Assembly[]> {
  const { questions = ["1", "2", "3"], prompt = "planner", between } = options
  const requests: Assembly[] = []
  for (const [turn, question] of questions.entries()) {
    if (turn > 0) await between?.(turn)
    requests.push(await session.preview(question, { prompt }))
  }
  return requests
}

function expectAllStable(requests: readonly Assembly[]): void {
  if (requests.length < 2) {
    throw new PromptStrataError("test", `expectStablePrefix needs at least two requests to compare, found ${requests.length}.`, {
      hint: "Give it the requests of at least two turns, or a session and at least two questions.",
    })
  }
  for (const [index, next] of requests.entries()) {
    const previous = requests[index - 1]
    if (!previous) continue
    const difference = diffAssemblies(previous, next)
    if (difference.brokeStable) throw brokenPrefix(index, difference, previous)
    const layer = changedLayer(previous, next)
    if (layer !== undefined) throw changedBehind(index, layer, difference)
  }
}

function brokenPrefix(index: number, difference: AssemblyDifference, { tokens }: Assembly): PromptStrataError {
  const lost = Math.max(0, tokens - difference.sharedTokens)
  const message = `The stable part of the prompt changed between request ${index} and request ${index + 1}, so that a cache loses ${lost} tokens:`
  return unstable(message, difference, { request: index, difference })
}

/** The error for a layer behind a part that changes anyway. No cache can serve it there, but its stability is still wrong. */
function changedBehind(index: number, key: string, difference: AssemblyDifference): PromptStrataError {
  const message = `The layer ${JSON.stringify(key)} changed between request ${index} and request ${index + 1}, though it claims to be stable. An earlier part of the prompt changed, too:`
  return unstable(message, difference, { request: index, key, difference })
}

function unstable(message: string, difference: AssemblyDifference, evidence: ErrorEvidence["test"]): PromptStrataError {
  return new PromptStrataError("test", `${message}\n${printDifference(difference).join("\n")}`, {
    evidence,
    hint: 'Give a layer that changes from turn to turn the scope "turn", or remove from it what changes: a date, a random choice, an order.',
  })
}

function changedLayer(previous: Assembly, next: Assembly): string | undefined {
  const [before, after] = [stableLayers(previous), stableLayers(next)]
  return [...after.keys()].find((key) => before.has(key) && before.get(key) !== after.get(key))
}

/** The values of layers that claim to be stable. Frames are left out: they may change with the text around them. */
function stableLayers({ spans }: Assembly): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const span of spans) if (isStableValue(span)) texts.set(span.key, (texts.get(span.key) ?? "") + span.text)
  return texts
}

function isStableValue({ key, part, stability }: Span): boolean {
  return key !== "" && part === "content" && claimsToBeStable(stability)
}
