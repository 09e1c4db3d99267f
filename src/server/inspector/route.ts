import type { Agent } from "../../agent/agent.ts"
import { contextOf } from "../../agent/published-agents.ts"
import type { Timers } from "../../core/ports.ts"
import type { Receipt } from "../../services/store/receipt.ts"
import { mapTexts, redactText } from "../../trace/redact.ts"
import { HttpProblem } from "../http-problem.ts"
import { type RecordParts, recordOf } from "./build-record.ts"
import type { KeptOnDisk } from "./keep-turns.ts"
import type { PageInfo } from "./page-files.ts"
import type { KeptTurn, Recorder } from "./recorder.ts"
import type { TurnRecord } from "./turn-record.ts"

/** Everything that the routes work with. */
export interface InspectorState {
  readonly agent: Agent
  readonly recorder: Recorder
  readonly parts: RecordParts
  readonly maxBodyBytes: number
  readonly timers: Timers
  readonly locale: string | undefined
  /** The address that opens a file in an editor, with `{file}` and `{line}`. */
  readonly editor: string | undefined
  /** The user and the conversation of the page's chat; undefined if nobody may chat. */
  readonly chat: { readonly user: string; readonly conversation: string } | undefined
  readonly receiptsOf: (turn: Pick<KeptTurn, "id" | "session" | "speaker">) => Promise<readonly Receipt[]>
  /** The records on the disk; undefined if none are kept there. */
  readonly kept: KeptOnDisk | undefined
  /** Things that went wrong with them, the newest twenty. */
  readonly warnings: readonly string[]
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

/** The turn that a path names, with everything that it takes to assemble it again. Throws {@link HttpProblem} if it is not in memory. */
export async function keptTurn({ recorder, kept }: InspectorState, { caught: [id = ""] }: Call): Promise<KeptTurn> {
  const turn = recorder.get(id)
  if (turn) return turn
  if (await kept?.read(id))
    throw new HttpProblem(409, "The turn is on the disk alone: only turns in memory can be assembled again.")
  throw notKept()
}

/** The record of the turn that a path names, from memory or from the disk. Throws {@link HttpProblem} if it is nowhere. */
export async function recordOfCall(state: InspectorState, { caught: [id = ""] }: Call): Promise<TurnRecord> {
  const turn = state.recorder.get(id)
  if (turn) return recordOf(turn, state.parts, await state.receiptsOf(turn))
  const record = await state.kept?.read(id)
  if (!record) throw notKept()
  return { ...record, receipts: await state.receiptsOf(record), isKept: true }
}

function notKept(): HttpProblem {
  return new HttpProblem(404, "The turn is not kept, or no longer.")
}

/** The facts about the agent. */
export async function infoOf({ agent, locale }: InspectorState): Promise<PageInfo> {
  const { profile } = await contextOf(agent)
  return { agent: profile.agent.name, colour: profile.agent.colour, profile: profile.name, locale: locale ?? profile.locale }
}

/** Data for the page, with `[secret]` in place of everything that looks like a key. */
export function jsonWithoutSecrets({ parts: { find } }: InspectorState, value: unknown): Response {
  return Response.json(mapTexts(value, (text) => redactText(text, find)))
}
