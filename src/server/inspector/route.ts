import type { Agent } from "../../agent/agent.ts"
import type { Timers } from "../../core/ports.ts"
import type { Receipt } from "../../services/store/receipt.ts"
import { mapTexts, redactText } from "../../trace/redact.ts"
import { HttpProblem } from "../http-problem.ts"
import type { RecordParts } from "./build-record.ts"
import type { KeptTurn, Recorder } from "./recorder.ts"

/** Everything that the routes work with. */
export interface InspectorState {
  readonly agent: Agent
  readonly recorder: Recorder
  readonly parts: RecordParts
  readonly maxBodyBytes: number
  readonly timers: Timers
  readonly locale: string | undefined
  /** The user and the conversation of the page's chat; undefined if nobody may chat. */
  readonly chat: { readonly user: string; readonly conversation: string } | undefined
  readonly receiptsOf: (turn: KeptTurn) => Promise<readonly Receipt[]>
}

/** A request to a route. */
export interface Call {
  readonly request: Request
  /** The parts of the path that the route's pattern caught. */
  readonly caught: readonly string[]
}

/** An address behind the token with its answer, which may throw {@link HttpProblem}. To add one, list it in `api.ts`. */
export interface Route {
  readonly method: "GET" | "POST"
  readonly path: RegExp
  readonly answer: (state: InspectorState, call: Call) => Response | Promise<Response>
}

/** The turn that a path names. Throws {@link HttpProblem} if it is not kept. */
export function keptTurn({ recorder }: InspectorState, { caught: [id = ""] }: Call): KeptTurn {
  const turn = recorder.get(id)
  if (turn) return turn
  throw new HttpProblem(404, "The turn is not kept, or no longer.")
}

/** Data for the page, with `[secret]` in place of everything that looks like a key. */
export function jsonWithoutSecrets({ parts: { find } }: InspectorState, value: unknown): Response {
  return Response.json(mapTexts(value, (text) => redactText(text, find)))
}
