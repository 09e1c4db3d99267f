import { clipped } from "../../../core/graphemes.ts"
import { costOf, type Prices, priceOf, type TokenPrice } from "../../../core/model/prices.ts"
import { hostSecrets } from "../../../core/secrets/find-secrets.ts"
import { redacted, redactPieces } from "../../../core/secrets/redact.ts"
import type { Assembly } from "../../../core/span.ts"
import { defined } from "../../../core/value.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import { diffAssemblies } from "../../../trace/diff-assemblies.ts"
import { mainProcess, type TraceStep, type TurnTrace } from "../../../trace/trace.ts"
import type { EarlierRequest, KeptTurn } from "./recorder.ts"
import type { RecordedJob } from "./timeline/recorded-jobs.ts"
import type {
  PrefixMark,
  RecordedChild,
  RecordedMessage,
  RecordedRequest,
  RequestChange,
  ShownAssembly,
  TurnRecord,
  TurnSummary,
} from "./turn-record.ts"

/** Everything that records are made with. */
export interface RecordParts {
  readonly find: ReturnType<typeof hostSecrets>
  /** By the id of a model. */
  readonly prices: Prices
  /** The request of this prompt before a turn, in its session. */
  readonly before: (turn: KeptTurn, prompt: string) => EarlierRequest | undefined
  /** The background jobs for a turn. */
  readonly jobsOf: (turnId: string) => readonly RecordedJob[]
}

/** Text in lists is cut to this; a record has it whole. */
const maxListed = 20_000

/** A kept turn in a list. */
export function summaryOf(turn: KeptTurn, { find, prices, jobsOf }: RecordParts): TurnSummary {
  const { id, session, speaker, wake, outcome, startedMs, durationMs, trace } = turn
  return redacted(
    {
      ...{ id, session, speaker, wake, outcome, startedMs, durationMs },
      question: clipped(turn.question, maxListed),
      answer: clipped(turn.answer(), maxListed),
      emotion: turn.events.findLast(({ type }) => type === "emotion")?.name,
      calls: trace?.steps.length ?? turn.calls,
      tools: trace?.runs.length ?? turn.tools,
      jobs: jobsOf(id).filter(({ state }) => state === "running").length,
      usage: trace?.usage ?? {},
      cost: trace && costOfTurn(trace, prices),
    },
    find,
  )
}

/** A kept turn, whole. */
export function turnRecord(turn: KeptTurn, parts: RecordParts, receipts: readonly Receipt[]): TurnRecord {
  const { id, session, speaker, wake, outcome, startedMs, durationMs, events, lostEvents } = turn
  const { find, prices } = parts
  const trace = turn.soFar()
  return redacted(
    {
      version: 1,
      ...{ id, session, speaker, wake, outcome, startedMs, durationMs, events, lostEvents },
      question: turn.question,
      answer: turn.answer(),
      colour: turn.colour,
      requests: trace ? requestsOf(trace, turn, parts) : [],
      prestart: trace?.prestart ?? [],
      tools: trace?.runs ?? [],
      recalled: trace?.recalled ?? [],
      items: turn.items,
      attachments: turn.attachments?.length ? turn.attachments : undefined,
      warnings: trace?.warnings ?? [],
      children: trace ? childrenOf(trace, turn, parts) : [],
      usage: trace?.usage ?? {},
      cost: trace && costOfTurn(trace, prices),
      receipts,
      jobs: parts.jobsOf(id),
      context: turn.context,
    },
    find,
  )
}

/** A turn that has not begun, and the prompt file of its first request. */
export type PreviewedTurn = Pick<TurnRecord, "session" | "speaker" | "question" | "startedMs"> & { readonly prompt: string }

/** The request that a turn would begin with, as a record of a turn of which nothing else is known. */
export function recordOfPreview(assembly: Assembly, { prompt, ...known }: PreviewedTurn): TurnRecord {
  const find = hostSecrets()
  const asked = { step: 1, prompt, model: "", startedMs: known.startedMs, durationMs: 0, output: "" }
  const nothing = { events: [], lostEvents: 0, prestart: [], tools: [], recalled: [], warnings: [], children: [], receipts: [] }
  const outcome = { state: "previewed" } as const
  const requests = [{ ...asked, ...shownAssembly(assembly, find, []) }]
  return redacted({ version: 1, id: "preview", ...known, answer: "", outcome, usage: {}, ...nothing, requests }, find)
}

function requestsOf(trace: TurnTrace, turn: KeptTurn, parts: RecordParts): RecordedRequest[] {
  return trace.steps.map((step, at) => {
    const own = trace.steps.slice(0, at).findLast(({ prompt }) => prompt === step.prompt)
    const earlier = own
      ? { turn: turn.id, step: own }
      : trace.process === mainProcess
        ? parts.before(turn, step.prompt)
        : undefined
    return requestOf(step, { earlier, parts, items: turn.items })
  })
}

function childrenOf({ children }: TurnTrace, turn: KeptTurn, parts: RecordParts): RecordedChild[] {
  return children.map(({ id, name, trace }) => ({
    ...{ id, name },
    requests: requestsOf(trace, turn, parts),
    tools: trace.runs,
    children: childrenOf(trace, turn, parts),
  }))
}

interface RequestParts {
  readonly earlier: EarlierRequest | undefined
  readonly parts: RecordParts
  readonly items: KeptTurn["items"]
}

function requestOf(given: TraceStep, { earlier, parts, items }: RequestParts): RecordedRequest {
  const { step, prompt, model, startedMs, durationMs, assembly, output, decision, finishReason, error, usage, report } = given
  const price = priceOf(parts.prices, model)
  return {
    ...{ step, prompt, model, startedMs, durationMs, output },
    ...defined({ decision, finishReason, error, usage, report }),
    ...shownAssembly(assembly, parts.find, items),
    change: earlier && requestChange(earlier, assembly, price),
    cost: costOf(usage, price),
  }
}

/** Puts the spans into their messages, without secrets, also those that reach over several spans. */
export function shownAssembly(assembly: Assembly, find: RecordParts["find"], items: KeptTurn["items"]): ShownAssembly {
  const priorities = new Map(items.map(({ key, priority }) => [key, priority]))
  const { messages, spans, tokens, overheadTokens, exact, prefixes, windowRoom, lore } = assembly
  const shown = messages.map(({ role, toolCalls, toolCallId }, index): RecordedMessage => {
    const own = spans.filter(({ message }) => message === index)
    const texts = redactPieces(
      own.map(({ text }) => text),
      find,
    )
    return {
      role,
      spans: own.map(({ message: _, parts, ...span }, at) => ({
        ...span,
        text: texts[at] ?? "",
        priority: priorities.get(span.key),
        files: parts?.map(({ attachment }) => attachment.name),
      })),
      toolCalls: toolCalls?.map(({ id, name, args }) => ({ id, name, args })),
      toolCallId,
    }
  })
  const marks = prefixes.map(({ stability, message, end, tokens }): PrefixMark => {
    return { stability, message, tokens, spans: spansBefore(spans, message, end) }
  })
  const { decisions } = assembly
  return { messages: shown, tokens, overheadTokens, exact, prefixes: marks, decisions, windowRoom, lore }
}

/** The spans of a message that end at or before a place in its content. */
function spansBefore(spans: Assembly["spans"], message: number, end: number): number {
  let [count, at] = [0, 0]
  for (const span of spans) {
    if (span.message !== message) continue
    at += span.text.length
    if (at > end) break
    count++
  }
  return count
}

/** The difference of a request to an earlier one. */
export function requestChange(
  { turn, step: earlier }: { readonly turn: string; readonly step: Pick<TraceStep, "step" | "assembly"> },
  assembly: Assembly,
  price: TokenPrice | undefined,
): RequestChange {
  const difference = diffAssemblies(earlier.assembly, assembly)
  const { outcome, sharedTokens, brokeStable, excerpt, message, offset, span } = difference
  const isLost = outcome === "changed" || outcome === "shortened"
  const lostTokens = isLost ? Math.max(0, earlier.assembly.tokens - sharedTokens) : 0
  return {
    since: { turn, step: earlier.step },
    ...{ outcome, sharedTokens, brokeStable, excerpt, message, lostTokens },
    span: spansBefore(assembly.spans, message, offset),
    cause: span && { key: span.key, stability: span.stability, change: span.change, source: span.source },
    lostCost: price && (lostTokens * (price.input - (price.cacheRead ?? price.input))) / 1_000_000,
  }
}

/** The cost of a turn with its children; undefined if a price is missing. */
function costOfTurn({ steps, children }: TurnTrace, prices: RecordParts["prices"]): number | undefined {
  const costs = [
    ...steps.map(({ model, usage }) => costOf(usage, priceOf(prices, model))),
    ...children.map(({ trace }) => costOfTurn(trace, prices)),
  ]
  return costs.length > 0 && costs.every((cost) => cost !== undefined)
    ? costs.reduce((sum: number, cost) => sum + (cost ?? 0), 0)
    : undefined
}
