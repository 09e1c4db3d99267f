import { type Prices, priceOf, type TokenPrice } from "../../../../core/model/prices.ts"
import type { Assembly } from "../../../../core/span.ts"
import { badRequest } from "../../http-problem.ts"
import { requestChange } from "../build-record.ts"
import { type Call, type InspectorState, type Route, recordById } from "../route.ts"
import type {
  PrefixMark,
  RecordedChild,
  RecordedMessage,
  RecordedRequest,
  RequestChange,
  ShownAssembly,
  TurnRecord,
  TurnSummary,
} from "../turn-record.ts"
import { align } from "./align.ts"
import { type ComparedRun, diffTexts } from "./compare-texts.ts"

/** Two requests side by side. The second one is what the first one became. */
export interface RequestComparison {
  /** The messages of each side. The calls of a message stand in a span of its own at its end, whose key is `calls`. */
  readonly a: readonly RecordedMessage[]
  readonly b: readonly RecordedMessage[]
  /** In order; joined, they are the messages of both sides. */
  readonly messages: readonly ComparedMessage[]
  /** In the order in which they begin, first those of `a`. */
  readonly layers: readonly ComparedLayer[]
  /** The place where they part, by which a provider's cache goes. */
  readonly change: RequestChange
  /** The first stable beginning of the second request that is not in the first one; absent if there is none. */
  readonly changedPrefix?: PrefixMark | undefined
  /** True if there are so many differences that equal lines between them were not looked for. */
  readonly isCoarse: boolean
}

/** A message of both sides, or of one: then the other's index is absent. */
interface ComparedMessage {
  readonly a?: number | undefined
  readonly b?: number | undefined
  /** In order; joined, they are the texts of both. */
  readonly runs: readonly ComparedRun[]
}

/** The tokens of a layer on both sides. */
interface ComparedLayer {
  /** Empty for the prompt file's own text. */
  readonly key: string
  readonly a: number
  readonly b: number
}

/** The parts of a request that are compared. */
export interface ComparableRequest extends ShownAssembly {
  readonly step: number
}

/** A request and the turn that it belongs to. */
interface ComparedRequest {
  readonly turn: string
  readonly request: ComparableRequest
}

/** Compares two requests: where they part, and which lines of which messages and which tokens of which layers differ. */
export function compareRequests(a: ComparedRequest, b: ComparedRequest, price: TokenPrice | undefined): RequestComparison {
  const [left, right] = [a.request, b.request].map(({ messages }) => messages.map(withCalls)) as [
    RecordedMessage[],
    RecordedMessage[],
  ]
  const { messages, isCoarse } = compareMessages(left, right)
  const earlier = { turn: a.turn, step: { step: a.request.step, assembly: assemblyOf(a.request) } }
  const change = requestChange(earlier, assemblyOf(b.request), price)
  return {
    ...{ a: left, b: right, messages, isCoarse, change },
    layers: compareLayers(a.request, b.request),
    changedPrefix: change.outcome === "none" ? undefined : firstBehind(b.request.prefixes, change),
  }
}

function withCalls(message: RecordedMessage): RecordedMessage {
  const { toolCalls = [], spans } = message
  if (toolCalls.length === 0) return message
  const lines = toolCalls.map(({ name, args }) => `${name} ${args}`)
  const text = `${spans.some(({ text }) => text !== "") ? "\n" : ""}${lines.join("\n")}`
  const calls = { text, key: "calls", part: "content", trust: "agent", stability: "turn", tokens: 0 } as const
  return { ...message, spans: [...spans, calls] }
}

/** A recorded request in the form in which it was assembled, as far as a record has it. */
function assemblyOf({ messages, tokens, overheadTokens, exact, decisions }: ComparableRequest): Assembly {
  return {
    version: 1,
    messages: messages.map(({ role, spans, toolCalls, toolCallId }) => ({
      role,
      content: joinedSpans(spans),
      ...{ toolCalls, toolCallId },
    })),
    spans: messages.flatMap(({ spans }, message) => spans.map(({ priority: _, files: __, ...span }) => ({ ...span, message }))),
    ...{ tokens, overheadTokens, exact, decisions, prefixes: [], cut: {}, sanitised: [] },
  }
}

function joinedSpans(spans: RecordedMessage["spans"]): string {
  return spans.map(({ text }) => text).join("")
}

function firstBehind(prefixes: readonly PrefixMark[], { message, span }: RequestChange): PrefixMark | undefined {
  return prefixes.find((mark) => mark.message > message || (mark.message === message && mark.spans > span))
}

function compareLayers(a: ComparableRequest, b: ComparableRequest): ComparedLayer[] {
  const [left, right] = [layersOf(a), layersOf(b)]
  const keys = [...new Set([...left.keys(), ...right.keys()])]
  return keys.map((key) => ({ key, a: left.get(key) ?? 0, b: right.get(key) ?? 0 }))
}

function layersOf({ messages }: ComparableRequest): Map<string, number> {
  const tokens = new Map<string, number>()
  for (const { spans } of messages) for (const { key, tokens: own } of spans) tokens.set(key, (tokens.get(key) ?? 0) + own)
  return tokens
}

type Messages = Pick<RequestComparison, "messages" | "isCoarse">

/** Aligns equal messages; between them those of the same role, whose lines are compared. */
function compareMessages(a: readonly RecordedMessage[], b: readonly RecordedMessage[]): Messages {
  const [textsA, textsB] = [a.map(({ spans }) => joinedSpans(spans)), b.map(({ spans }) => joinedSpans(spans))]
  const keyed = (messages: readonly RecordedMessage[], texts: readonly string[]): string[] =>
    messages.map(({ role }, at) => `${role}\n${texts[at]}`)
  const { runs, isWhole } = align(keyed(a, textsA), keyed(b, textsB))
  let isCoarse = !isWhole
  const pair = (indexA: number | undefined, indexB: number | undefined): ComparedMessage => {
    const found = diffTexts(
      indexA === undefined ? "" : (textsA[indexA] ?? ""),
      indexB === undefined ? "" : (textsB[indexB] ?? ""),
    )
    isCoarse ||= found.isCoarse
    return { a: indexA, b: indexB, runs: found.runs }
  }
  const messages: ComparedMessage[] = []
  for (const run of runs) {
    const roles = align(
      a.slice(...run.a).map(({ role }) => role),
      b.slice(...run.b).map(({ role }) => role),
    )
    isCoarse ||= !roles.isWhole
    for (const { isSame, a: own, b: other } of roles.runs) {
      const [fromA, fromB] = [run.a[0] + own[0], run.b[0] + other[0]]
      const [lengthA, lengthB] = [own[1] - own[0], other[1] - other[0]]
      if (isSame) for (let at = 0; at < lengthA; at++) messages.push(pair(fromA + at, fromB + at))
      else {
        for (let at = 0; at < lengthA; at++) messages.push(pair(fromA + at, undefined))
        for (let at = 0; at < lengthB; at++) messages.push(pair(undefined, fromB + at))
      }
    }
  }
  return { messages, isCoarse }
}

/** Two turns side by side. */
export interface TurnComparison {
  readonly a: ComparedTurn
  readonly b: ComparedTurn
  /** Absent if one of them has no request. */
  readonly request?: RequestComparison | undefined
}

/** One side of a comparison: its facts and its requests, of which one is compared. */
export interface ComparedTurn extends TurnSummary {
  readonly requests: readonly RequestName[]
  /** The index of the compared one. */
  readonly chosen: number
}

/** The name of a request in a list. */
export interface RequestName extends Pick<RecordedRequest, "step" | "prompt" | "model" | "tokens"> {
  /** The names of the children that made it, each with its number; empty for the turn's own. */
  readonly path: string
}

/** `?a=ID&b=ID&requestA=0&requestB=0`: two turns, from memory or from the disk, side by side, with the requests of these indexes. */
export const compareRoute: Route = { method: "GET", path: /^api\/compare$/u, answer: compare }

async function compare(state: InspectorState, { request }: Call): Promise<Response> {
  const { searchParams } = new URL(request.url)
  const side = async (name: "a" | "b"): Promise<ChosenRequest> => {
    const id = searchParams.get(name)
    if (id === null) throw badRequest("Expected the ids of two turns, `a` and `b`.", name)
    const param = `request${name.toUpperCase()}`
    return { record: await recordById(state, id), index: Number(searchParams.get(param) ?? 0), param }
  }
  return Response.json(compareTurns(await side("a"), await side("b"), state.parts.prices))
}

/** A request of a turn, by its index among those of the turn and its children. */
interface ChosenRequest {
  readonly record: TurnRecord
  readonly index: number
  /** The parameter that names the index, for an error. */
  readonly param?: string
}

/** Compares a request of each of two turns, and the turns' facts. Throws {@link HttpProblem} for an index that is not there. */
export function compareTurns(a: ChosenRequest, b: ChosenRequest, prices: Prices): TurnComparison {
  const [left, right] = [chosenOf(a), chosenOf(b)]
  return {
    a: sideOf(a),
    b: sideOf(b),
    request:
      left &&
      right &&
      compareRequests({ turn: a.record.id, request: left }, { turn: b.record.id, request: right }, priceOf(prices, right.model)),
  }
}

function chosenOf({ record, index, param = "request" }: ChosenRequest): RecordedRequest | undefined {
  const all = requestsOf(record)
  const found = all[index]
  if (!found && (all.length > 0 || index !== 0)) throw badRequest(`Expected the index of one of ${all.length} requests.`, param)
  return found?.request
}

function sideOf({ record, index }: ChosenRequest): ComparedTurn {
  const { id, session, speaker, wake, question, answer, outcome, startedMs, durationMs, usage, cost, requests, tools } = record
  const names = requestsOf(record).map(({ path, request: { step, prompt, model, tokens } }) => ({
    path,
    step,
    prompt,
    model,
    tokens,
  }))
  return {
    ...{ id, session, speaker, wake, question, answer, outcome, startedMs, durationMs, usage, cost },
    ...{ calls: requests.length, tools: tools.length, requests: names, chosen: index },
  }
}

/** The requests of a turn and, behind them, those of its children. */
function requestsOf({ requests, children }: TurnRecord | RecordedChild, path = ""): { path: string; request: RecordedRequest }[] {
  const own = requests.map((request) => ({ path, request }))
  return [...own, ...children.flatMap((child, at) => requestsOf(child, `${path}${child.name} ${at + 1} › `))]
}
