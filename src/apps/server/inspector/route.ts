import type { Timers } from "../../../core/ports.ts"
import { redacted } from "../../../core/secrets/redact.ts"
import type { Agent } from "../../../loop/agent/agent.ts"
import { contextOf } from "../../../loop/agent/published-agents.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { PromptFiles } from "../../../profile/prompt-files.ts"
import { HttpProblem } from "../http-problem.ts"
import { type RecordParts, turnRecord } from "./build-record.ts"
import type { Judge } from "./compare/judge.ts"
import type { InspectedDocuments } from "./documents/documents.ts"
import type { KeptOnDisk } from "./keep-turns.ts"
import type { PageInfo } from "./page-files.ts"
import type { KeptTurn, Recorder } from "./recorder.ts"
import type { ReplayableTurn } from "./replay/again.ts"
import type { MakeVariant } from "./replay/agent-change.ts"
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
  /** The folder of the agent's documents; undefined if it was not given. */
  readonly documents: InspectedDocuments | undefined
  /** The user and the conversation of the page's chat; undefined if nobody may chat. */
  readonly chat: { readonly user: string; readonly conversation: string } | undefined
  /** Makes an agent that differs; undefined if nobody can. */
  readonly variant: MakeVariant | undefined
  /** Compares two answers; undefined if nobody does. */
  readonly judge: Judge | undefined
  /** The files of the profile; undefined if the page edits none. */
  readonly files: PromptFiles | undefined
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

/** The turn that a path names, with everything that it takes to play it again. Throws {@link HttpProblem} with the reason if that is not there. */
export async function replayableOf(state: InspectorState, { caught: [id = ""] }: Call): Promise<ReplayableTurn> {
  const turn = state.recorder.get(id)
  if (turn) {
    const { steps = [], prestart = [], runs: tools = [], recalled = [] } = turn.trace ?? {}
    return withFiles(state, replayable({ ...turn, prompt: steps[0]?.prompt, prestart, tools, recalled }))
  }
  const record = await state.kept?.read(id)
  if (!record) throw notKept()
  const { store } = await contextOf(state.agent)
  const stored = await store.load(record.session)
  if (record.outcome.state === "answered" && !stored?.history.some(({ turnId }) => turnId === id))
    throw new HttpProblem(409, "The store no longer has the turn in its conversation, so the history before it is not known.")
  return withFiles(state, replayable({ ...record, prompt: record.requests[0]?.prompt, items: record.items }))
}

/** A turn whose files the store still has. */
async function withFiles(state: InspectorState, turn: ReplayableTurn): Promise<ReplayableTurn> {
  const { blobs } = await contextOf(state.agent)
  for (const { name, blob } of turn.attachments ?? [])
    if (blob !== undefined && !(await blobs.get(blob, turn.session)))
      throw new HttpProblem(409, `The store no longer has ${name}, which came with the turn, so it cannot be assembled again.`)
  return turn
}

function replayable({
  prompt,
  items,
  ...turn
}: Omit<ReplayableTurn, "prompt" | "items"> & {
  readonly wake?: string | undefined
  readonly prompt: string | undefined
  readonly items: ReplayableTurn["items"] | undefined
}): ReplayableTurn {
  if (prompt === undefined) throw new HttpProblem(409, "The turn has no request yet.")
  if (turn.wake !== undefined) throw new HttpProblem(409, "A turn in which nobody spoke cannot be assembled again.")
  if (items === undefined)
    throw new HttpProblem(
      409,
      "The turn was kept by an earlier version, without the items on its stack, so it cannot be assembled again.",
    )
  return { ...turn, prompt, items }
}

/** The record of the turn that a path names, as {@link recordById}. */
export function recordOfCall(state: InspectorState, { caught: [id = ""] }: Call): Promise<TurnRecord> {
  return recordById(state, id)
}

/** The record of a turn, from memory or from the disk. Throws {@link HttpProblem} if it is nowhere. */
export async function recordById(state: InspectorState, id: string): Promise<TurnRecord> {
  const record = await findRecord(state, id)
  if (!record) throw notKept()
  return record
}

/** The record of a turn, from memory or from the disk; undefined if it is nowhere. */
export async function findRecord(
  { recorder, parts, kept, receiptsOf }: InspectorState,
  id: string,
): Promise<TurnRecord | undefined> {
  const turn = recorder.get(id)
  if (turn) return turnRecord(turn, parts, await receiptsOf(turn))
  const record = await kept?.read(id)
  return record && { ...record, receipts: await receiptsOf(record), isKept: true }
}

function notKept(): HttpProblem {
  return new HttpProblem(404, "The turn is not kept, or no longer.")
}

/** The page is large, so it is loaded when somebody opens it. */
export const loadPage = () => import("./page-files.ts")

/** The facts about the agent. */
export async function infoOf({ agent, locale }: InspectorState): Promise<PageInfo> {
  const { profile } = await contextOf(agent)
  return { agent: profile.agent.name, colour: profile.agent.colour, profile: profile.name, locale: locale ?? profile.locale }
}

/** Data for the page, with `[secret]` in place of everything that looks like a key. */
export function jsonWithoutSecrets({ parts: { find } }: InspectorState, value: unknown, status = 200): Response {
  return Response.json(redacted(value, find), { status })
}
