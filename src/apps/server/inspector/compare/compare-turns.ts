import { type Prices, priceOf } from "../../../../core/model/prices.ts"
import { badRequest } from "../../http-problem.ts"
import { type Call, type InspectorState, type Route, recordById } from "../route.ts"
import type { RecordedChild, RecordedRequest, TurnRecord, TurnSummary } from "../turn-record.ts"
import { compareRequests, type RequestComparison } from "./compare-requests.ts"

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

interface PlacedRequest {
  readonly path: string
  readonly request: RecordedRequest
}

/** The requests of a turn and, behind them, those of its children. */
function requestsOf({ requests, children }: TurnRecord | RecordedChild, path = ""): PlacedRequest[] {
  const own = requests.map((request) => ({ path, request }))
  return [...own, ...children.flatMap((child, at) => requestsOf(child, `${path}${child.name} ${at + 1} › `))]
}
