import type { HistoryMessage, KeptRun } from "../../core/conversation.ts"
import { withMembers } from "../../core/lazy-pattern.ts"
import type { Assembly, FitDecision } from "../../core/span.ts"
import { truncateText } from "../../prompt/assemble/truncate-text.ts"
import { renderNotice } from "../../prompt/dialect/render-notice.ts"
import { encodeJsonLine } from "../../prompt/encode/inline.ts"
import { printArguments } from "../../prompt/tools/call-arguments.ts"
import { printJson } from "../../prompt/tools/print-json.ts"
import type { ToolRun } from "../../prompt/tools/tool.ts"
import type { AgentContext, OldRunLimits, TurnContext } from "./turn-context.ts"

/** The share of a request that a call's arguments may take; some prompts show them twice, in the call and beside its result. */
const argumentsShare = 1 / 8
/** The share of a request that one result may take. */
const resultShare = 1 / 4
/** Room for the notice and some words, however small the budget is. */
const leastTokens = 100

type Arguments = Readonly<Record<string, unknown>>

/**
 * Shortens a call's arguments for prompts: if they take more than an eighth of the token budget, long values lose their middle,
 * and a notice says so. The tool gets them whole. Without this a call that is longer than any request would end the turn, because
 * the newest call is never dropped.
 */
export function fitArguments(args: Arguments, { budgetTokens, agent }: TurnContext): Arguments {
  if (budgetTokens === undefined) return args
  return shortArguments(args, Math.max(leastTokens, Math.floor(budgetTokens * argumentsShare)), agent)
}

/** Returns the same object if the arguments take no more than `maxTokens`. */
function shortArguments(args: Arguments, maxTokens: number, agent: AgentContext): Arguments {
  const { counter } = agent.ports
  const isShort = (text: string, tokens: number) => counter.count(text) <= tokens
  const notice = (counts: object) => renderNotice(agent.dialect, "truncated", { ...counts })
  const cut = (text: string, tokens: number): string => truncateText(text, { maxTokens: tokens, counter, notice }).text
  const cutValue = (value: unknown, tokens: number): unknown => {
    const text = typeof value === "string" ? value : printJson(value)
    return isShort(text, tokens) ? value : cut(text, tokens)
  }
  if (isShort(printArguments(args), maxTokens)) return args
  for (let tokens = maxTokens; tokens >= leastTokens; tokens >>= 1) {
    const shown = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, cutValue(value, tokens)]))
    if (isShort(printArguments(shown), maxTokens)) return shown
  }
  // There are so many values that even their beginnings are too long.
  for (let tokens = Math.max(leastTokens, maxTokens >> 1); ; tokens >>= 1) {
    const shown = { args: cut(printArguments(args), tokens) }
    if (tokens < leastTokens || isShort(printArguments(shown), maxTokens)) return shown
  }
}

/** Keeps a run as a step, with its call as the model would write it as a decision. */
export function keepAsStep(
  turn: TurnContext,
  run: ToolRun,
  { args, ...said }: { action: string; message?: string; args: Arguments },
): void {
  const call = encodeJsonLine({ ...said, tool: run.tool, args: fitArguments(args, turn) })
  turn.progress.steps.push({ type: "run", call, run: withFittedArguments(run, turn) })
}

/** Shortens the arguments of a run for prompts. Returns the same object if they are short. */
export function withFittedArguments(run: ToolRun, turn: TurnContext): ToolRun {
  const args = fitArguments(run.args, turn)
  return args === run.args ? run : { ...run, args }
}

/**
 * Shortens a tool's result: if it takes more than a quarter of the token budget, it loses its middle, and a notice says so. Without
 * this a result that is longer than any request would end the turn, because the newest result is never dropped.
 */
export function fitResult(
  { budgetTokens, agent }: TurnContext,
  result: string,
): { readonly result: string; readonly cappedFromCharacters?: number } {
  if (budgetTokens === undefined) return { result }
  const { text, isCut, total } = shortResult(result, Math.max(leastTokens, Math.floor(budgetTokens * resultShare)), agent)
  return isCut ? { result: text, cappedFromCharacters: total } : { result }
}

function shortResult(result: string, maxTokens: number, { ports, dialect }: AgentContext) {
  const notice = (counts: object) => renderNotice(dialect, "result-truncated", { ...counts })
  return truncateText(result, { maxTokens, counter: ports.counter, notice })
}

/** The shares of a request that tool runs of earlier turns may take. The next one is tried while history is cut. */
const oldRunShares = [1 / 2, 1 / 4, 1 / 8]
/** Old runs lose this share of their room at once, so that they look the same over several turns and a provider's cache holds. */
const oldRunStep = 1 / 2
/** The tokens that tool runs of earlier turns may have where there is no budget. */
const unlimitedRunTokens = 8_000

/** The tokens that tool runs of earlier turns may have, in the order in which they are tried. None if the turn shows no runs. */
export function oldRunBounds({ agent, budgetTokens, progress }: TurnContext): readonly number[] {
  if (progress.shownHistory.every(({ runs }) => runs === undefined)) return []
  const { toolRunTokens = budgetTokens ?? unlimitedRunTokens } = agent.profile.history
  if (budgetTokens === undefined) return [toolRunTokens]
  const bounds = oldRunShares.map((share) => Math.min(toolRunTokens, Math.floor(budgetTokens * share)))
  return bounds.filter((bound, at) => bound !== bounds[at - 1])
}

/**
 * Shortens the tool runs of earlier turns until they take no more than `maxTokens` (T29), the oldest first, and each no more than
 * needed. The oldest ones are left out where so many cannot have a notice and some words each. Runs lose tokens in steps, so that
 * they look the same over several turns. Returns the same array if they are short enough.
 */
export function fitOldRuns(
  history: readonly HistoryMessage[],
  { maxTokens, mostTokens, agent }: OldRunLimits,
): readonly HistoryMessage[] {
  const all = history.flatMap(({ runs = [] }) => runs)
  const total = tokensOfRuns(all, agent)
  if (total <= maxTokens) return history
  const newest = history.findLast(({ runs = [] }) => runs.length > 0)?.runs ?? []
  const ofNewest = tokensOfRuns(newest, agent)
  const [runs, room] = ofNewest > mostTokens ? [all, maxTokens] : [all.slice(0, -newest.length), maxTokens - ofNewest]
  const step = Math.max(1, Math.floor(maxTokens * oldRunStep))
  const inSteps = (tokens: number) => Math.ceil(tokens / step) * step
  const leasts = runs.map((run) => leastOfRun(run, agent))
  let tooMany = inSteps(leasts.reduce((sum, tokens) => sum + tokens, 0) - Math.min(step, room))
  const gone = new Set<KeptRun>()
  for (const [at, run] of runs.entries()) {
    if (tooMany <= 0) break
    tooMany -= leasts[at] ?? 0
    gone.add(run)
  }
  let excess = inSteps(total - tokensOfRuns([...gone], agent) - maxTokens)
  const shown = new Map<KeptRun, KeptRun>()
  for (const run of runs) {
    if (gone.has(run)) continue
    if (excess <= 0) break
    const tokens = tokensOfRun(run, agent)
    const short = shortRun(run, Math.max(leastOfRun(run, agent), tokens - excess), agent)
    excess -= tokens - tokensOfRun(short, agent)
    shown.set(run, short)
  }
  const fitted = history.map((message) => withRuns(message, (run) => (gone.has(run) ? [] : (shown.get(run) ?? run))))
  const left = fitted.reduce((sum, { runs = [] }) => sum + tokensOfRuns(runs, agent), 0)
  const reason = `tool runs of earlier turns had more than ${maxTokens} tokens`
  const before = lostBefore.get(history)
  const tokens = total - left + (before?.tokens ?? 0)
  lostBefore.set(fitted, { tokens, reason: before ? `${before.reason}; ${reason}` : reason })
  return fitted
}

/** By history of which something was left out before it was assembled, what it lost and why. */
export const lostBefore = new WeakMap<readonly HistoryMessage[], { readonly tokens: number; readonly reason: string }>()

/** The assembly, whose decision on history tells what was left out of it before. */
export function withOldRunsTold(assembly: Assembly, history: readonly HistoryMessage[]): Assembly {
  const lost = lostBefore.get(history)
  if (!lost) return assembly
  const decisions = assembly.decisions.map((decision): FitDecision => {
    const { key, fate, fromTokens, reason } = decision
    if (key !== "history" || fate === "unplaced") return decision
    const told = { ...decision, fromTokens: fromTokens + lost.tokens }
    if (fate === "kept") return { ...told, fate: "shortened", reason: lost.reason }
    return { ...told, reason: `${lost.reason}; then ${reason}` }
  })
  return withMembers(assembly, { decisions })
}

/** By run, its tokens: a conversation asks for them again in each turn. */
const countedRuns = new WeakMap<KeptRun, { readonly agent: AgentContext; readonly tokens: number }>()
/** By run, its last short form. */
const shortRuns = new WeakMap<KeptRun, { readonly agent: AgentContext; readonly maxTokens: number; readonly short: KeptRun }>()

function tokensOfRuns(runs: readonly KeptRun[], agent: AgentContext): number {
  return runs.reduce((sum, run) => sum + tokensOfRun(run, agent), 0)
}

function tokensOfRun(run: KeptRun, agent: AgentContext): number {
  const known = countedRuns.get(run)
  if (known?.agent === agent) return known.tokens
  const { counter } = agent.ports
  const tokens = counter.count(printArguments(run.args)) + counter.count(run.result) + tokensOfData(run, agent)
  countedRuns.set(run, { agent, tokens })
  return tokens
}

/** The tokens of a provider's data. It goes with its run whole or not at all. */
function tokensOfData({ providerData }: KeptRun, agent: AgentContext): number {
  return providerData === undefined ? 0 : agent.ports.counter.count(JSON.stringify(providerData))
}

/** Room for the notice and some words of a result beside its call. */
const leastOfResult = leastTokens >> 1

/** The tokens of a run that is as short as can be: its call and its result have a notice and some words each. */
function leastOfRun(run: KeptRun, agent: AgentContext): number {
  const ofCall = Math.min(leastTokens, agent.ports.counter.count(printArguments(run.args)))
  return Math.min(tokensOfRun(run, agent), Math.max(leastTokens, ofCall + leastOfResult) + tokensOfData(run, agent))
}

/** Returns the same object if the run has no more than `maxTokens`, at least {@link leastOfRun}. Its arguments may take half of them. */
function shortRun(run: KeptRun, allTokens: number, agent: AgentContext): KeptRun {
  if (tokensOfRun(run, agent) <= allTokens) return run
  const maxTokens = allTokens - tokensOfData(run, agent)
  const known = shortRuns.get(run)
  if (known?.agent === agent && known.maxTokens === maxTokens) return known.short
  const args = shortArguments(run.args, Math.max(leastTokens, maxTokens >> 1), agent)
  const room = maxTokens - agent.ports.counter.count(printArguments(args))
  const { sentence, ...rest } = run
  const { text: result, isCut } = shortResult(run.result, Math.max(leastOfResult, room), agent)
  // What is left of a sentence may begin a line with words of others.
  const short = { ...rest, args, result, sentence: isCut ? undefined : sentence }
  shortRuns.set(run, { agent, maxTokens, short })
  return short
}

/** By message, the last form with other runs. The same object in all turns is printed and counted once. */
const withOtherRuns = new WeakMap<HistoryMessage, HistoryMessage>()

function withRuns(message: HistoryMessage, shown: (run: KeptRun) => KeptRun | readonly []): HistoryMessage {
  const { runs, ...rest } = message
  const other = runs?.flatMap(shown)
  if (!runs || !other || isSame(runs, other)) return message
  const before = withOtherRuns.get(message)
  if (before && isSame(before.runs ?? [], other)) return before
  const made = other.length > 0 ? { ...rest, runs: other } : rest
  withOtherRuns.set(message, made)
  return made
}

function isSame(a: readonly KeptRun[], b: readonly KeptRun[]): boolean {
  return a.length === b.length && a.every((run, at) => run === b[at])
}
