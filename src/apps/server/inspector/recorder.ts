import type { Attachment, SessionKey, Speaker } from "../../../core/conversation.ts"
import type { Clock } from "../../../core/ports.ts"
import type { Injection } from "../../../core/value.ts"
import type { ObservedTurn, SentRequest, TurnContext } from "../../../loop/turn/turn-context.ts"
import { traceOf } from "../../../loop/turn/turn-outcome.ts"
import { virtualContextName } from "../../../memory/forgetting/plugin/virtual-context-name.ts"
import type { Job, JobProgress } from "../../../memory/services/store/job-runner.ts"
import { sessionOf } from "../../../memory/services/store/rows/row-tables.ts"
import type { TraceStep, TurnTrace } from "../../../trace/trace.ts"
import type { TurnEvent } from "../../../trace/turn-event.ts"
import { eventOf, joinsLast, type WritableEvent } from "./recorded-event.ts"
import { changesIn, type NotedChanges } from "./timeline/context-changes.ts"
import { type RecordedJob, RecordedJobs } from "./timeline/recorded-jobs.ts"
import type { RecordedEvent, TurnOutcome } from "./turn-record.ts"

/** A turn that a recorder keeps, as it stands now. */
export interface KeptTurn {
  readonly id: string
  readonly session: SessionKey
  readonly speaker: Speaker
  readonly question: string
  readonly wake: string | undefined
  /** The items on the session's stack when the turn began, and those that were given with it. */
  readonly items: readonly Injection[]
  /** The pictures, recordings and files that came with the words; undefined until its first request. */
  attachments: readonly Attachment[] | undefined
  readonly startedMs: number
  readonly events: readonly RecordedEvent[]
  durationMs: number | undefined
  colour: string | undefined
  outcome: TurnOutcome
  lostEvents: number
  calls: number
  tools: number
  /** Present once the turn has ended. */
  trace: TurnTrace | undefined
  /** The changes of its conversation's virtual context; undefined without one, and until the turn has ended. */
  context: NotedChanges | undefined
  answer(): string
  /** The trace as far as it has come; undefined before the first request. */
  soFar(): TurnTrace | undefined
}

interface OpenTurn extends KeptTurn {
  readonly events: WritableEvent[]
  /** The answer of a turn that has ended, and the words before the first request of one that runs. */
  text: string
  bytes: number
  /** The last request of a turn that runs. */
  sent: { readonly turn: TurnContext; readonly request: SentRequest } | undefined
  /** The virtual context when the first request was sent. */
  begun: unknown
}

/** A request with its turn. */
export interface EarlierRequest {
  readonly turn: string
  readonly step: TraceStep
}

/** Bounds of what a recorder keeps. */
export interface RecorderBounds {
  /** Turns; the oldest go first. */
  readonly maxTurns: number
  /** About the bytes of their texts. */
  readonly maxBytes: number
}

/** The most events that one turn keeps. */
const maxEvents = 2_000

/**
 * Keeps the newest turns of an agent. {@link tell} is called for each event on the reply's path, so it only notes it: no text is copied,
 * and records are made when somebody reads them.
 */
export class Recorder {
  readonly #turns = new Map<string, OpenTurn>()
  readonly #bounds: RecorderBounds
  readonly #clock: Clock
  readonly #listeners = new Set<(turnId: string) => void>()
  /** Running turns that were forgotten: their end is not recorded. */
  readonly #forgotten = new Set<string>()
  readonly #jobs = new RecordedJobs()
  #bytes = 0
  #last: OpenTurn | undefined
  /** Turns that were let go of for others. */
  dropped = 0

  constructor(bounds: RecorderBounds, clock: Clock) {
    this.#bounds = bounds
    this.#clock = clock
  }

  /** The turns, oldest first. */
  get turns(): readonly KeptTurn[] {
    return [...this.#turns.values()]
  }

  get(turnId: string): KeptTurn | undefined {
    return this.#turns.get(turnId)
  }

  /** The last request of a prompt in the session of a turn before that turn. */
  before(turn: KeptTurn, prompt: string): EarlierRequest | undefined {
    let found: EarlierRequest | undefined
    for (const other of this.#turns.values()) {
      if (other.id === turn.id) break
      if (!isSameSession(other.session, turn.session)) continue
      const step = other.trace?.steps.findLast((candidate) => candidate.prompt === prompt)
      if (step) found = { turn: other.id, step }
    }
    return found
  }

  /** Calls `listener` with the id of each turn that something happens to, until the returned function is called. */
  listen(listener: (turnId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The background jobs behind a turn, or of a session. */
  jobsOf(of: string | SessionKey): readonly RecordedJob[] {
    return this.#jobs.filter(({ turn, session }) => (typeof of === "string" ? turn === of : isSameSession(session, of)))
  }

  /** Lets go of turns, because words in them were forgotten. */
  forget(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      const turn = this.#turns.get(id)
      if (!turn) continue
      if (!turn.trace) this.#forgotten.add(id)
      this.#remove(turn)
      this.#tellListeners(id)
    }
    // A failure may hold words of a turn, also of one that is no longer kept.
    this.#jobs.drop(({ turn }) => !this.#turns.has(turn))
  }

  /** Lets go of everything. */
  clear(): void {
    this.#turns.clear()
    this.#jobs.drop(() => true)
    this.#bytes = 0
    this.#last = undefined
  }

  /** Notes a request that is sent. Never throws. */
  send(turn: TurnContext, request: SentRequest): void {
    const { input, depth } = turn
    const own = depth === 0 ? this.#turns.get(input.turnId) : undefined
    if (!own) return
    own.attachments = input.attachments
    if (!own.sent) own.begun = turn.progress.hooks.states.get(virtualContextName)
    own.sent = { turn, request }
  }

  /** Notes an attempt of a background job. Never throws. */
  job(job: Job, progress: JobProgress): void {
    this.#jobs.note(job, progress, this.#clock.nowMs())
    if (this.#turns.has(job.turnId)) this.#tellListeners(job.turnId)
  }

  /** Notes an event. Never throws. */
  tell(observed: ObservedTurn, event: TurnEvent): void {
    const { turnId } = observed.input
    // Almost all events are words of the turn that spoke last.
    const turn = turnId === this.#last?.id ? this.#last : this.#turnOf(observed, event)
    if (!turn) return
    if (event.type === "text-delta" || event.type === "thinking-delta") {
      // A delta came with the part of the stream that is read now, if one is: then nobody has to look at a clock again.
      noteDelta(turn, event, (turn.sent?.turn.progress.heardMs ?? this.#clock.nowMs()) - turn.startedMs)
    } else note(turn, event, this.#clock.nowMs() - turn.startedMs)
    if (event.type === "turn-end") this.#end(turn, event)
    if (this.#listeners.size > 0) this.#tellListeners(turnId)
  }

  #turnOf(observed: ObservedTurn, event: TurnEvent): OpenTurn | undefined {
    const { turnId } = observed.input
    if (this.#forgotten.has(turnId)) {
      if (event.type === "turn-end") this.#forgotten.delete(turnId)
      return undefined
    }
    this.#last = this.#turns.get(turnId) ?? this.#open(observed, event)
    return this.#last
  }

  #tellListeners(turnId: string): void {
    for (const listener of this.#listeners) listener(turnId)
  }

  #open({ input }: ObservedTurn, event: TurnEvent): OpenTurn | undefined {
    // A turn that was let go of while it ran comes back with its end alone.
    if (event.type !== "turn-start" && event.type !== "turn-end") return undefined
    const turn: OpenTurn = {
      id: input.turnId,
      session: sessionOf(input.key),
      speaker: input.speaker,
      question: input.text,
      wake: input.wake,
      items: [...input.stack.items(), ...input.inject],
      startedMs: event.type === "turn-start" ? event.atMs : event.result.trace.startedMs,
      events: [],
      ...{ durationMs: undefined, colour: undefined },
      outcome: { state: "running", doing: "" },
      lostEvents: 0,
      calls: 0,
      tools: 0,
      ...{ trace: undefined, context: undefined, attachments: undefined, sent: undefined, begun: undefined, text: "", bytes: 0 },
      answer: () => turn.sent?.turn.progress.answer.text ?? turn.text,
      soFar: () => turn.trace ?? (turn.sent && traceOfRunning(turn.sent, this.#clock.nowMs())),
    }
    this.#turns.set(turn.id, turn)
    this.#prune()
    return turn
  }

  #end(turn: OpenTurn, { result }: TurnEvent & { readonly type: "turn-end" }): void {
    const { trace } = result
    turn.trace = trace
    turn.context = result.ok && turn.sent ? changesIn(turn.sent.turn, turn.begun) : undefined
    turn.sent = turn.begun = undefined
    turn.durationMs = trace.durationMs
    turn.text = result.ok ? result.text : result.gathered.text
    turn.outcome = result.ok
      ? { state: "answered", stopReason: result.stopReason }
      : { state: "failed", code: result.error.code, message: result.error.message }
    this.#bytes -= turn.bytes
    turn.bytes = turn.events.length * 100 + (turn.context?.changes.length ?? 0) * 700 + bytesOf(trace)
    this.#bytes += turn.bytes
    this.#prune()
  }

  #remove(turn: OpenTurn): void {
    this.#turns.delete(turn.id)
    this.#bytes -= turn.bytes
    if (this.#last === turn) this.#last = undefined
  }

  #prune(): void {
    for (const turn of this.#turns.values()) {
      if (this.#turns.size <= this.#bounds.maxTurns && this.#bytes <= this.#bounds.maxBytes) return
      // The newest one is shown, however large it is.
      if (this.#turns.size === 1) return
      this.#remove(turn)
      this.dropped++
    }
  }
}

/** True for two keys of one session. */
export function isSameSession(a: SessionKey, b: SessionKey): boolean {
  return a.conversation === b.conversation && a.audience === b.audience && a.agent === b.agent
}

/** The trace of a turn that runs, with the request that has no answer yet. */
function traceOfRunning({ turn, request }: NonNullable<OpenTurn["sent"]>, nowMs: number): TurnTrace {
  const trace = traceOf(turn)
  if (trace.steps.length >= request.step) return trace
  return { ...trace, steps: [...trace.steps, { ...request, output: "", durationMs: nowMs - request.startedMs }] }
}

function noteDelta(turn: OpenTurn, event: TurnEvent & { readonly delta: string }, atMs: number): void {
  const { type, delta } = event
  // The turn keeps its answer itself from its first request on.
  if (type === "text-delta" && !turn.sent) turn.text += delta
  const last = turn.events.at(-1)
  if (last?.type === type) {
    last.endMs = atMs
    last.characters = (last.characters ?? 0) + delta.length
  } else addEvent(turn, { type, atMs, endMs: atMs, characters: delta.length })
}

function note(turn: OpenTurn, event: TurnEvent, atMs: number): void {
  if (event.type === "turn-start") turn.colour = event.colour
  if (event.type === "step-start") {
    turn.calls++
    turn.outcome = { state: "running", doing: event.prompt }
  }
  if (event.type === "tool-start") {
    turn.tools++
    turn.outcome = { state: "running", doing: event.tool }
  }
  if (event.type !== "child" || !joinsLast(turn.events.at(-1), event, atMs)) addEvent(turn, eventOf(event, atMs))
}

function addEvent(turn: OpenTurn, event: WritableEvent): void {
  if (turn.events.length < maxEvents) turn.events.push(event)
  else turn.lostEvents++
}

/** About the bytes that a trace keeps alive. Spans are made when they are read, so they are not asked for: they count as a third copy of the texts. */
function bytesOf({ steps, runs, prestart, children }: TurnTrace): number {
  let units = 0
  for (const { assembly, output } of steps) {
    units += output.length
    for (const { content } of assembly.messages) units += 3 * content.length
  }
  for (const { result } of [...runs, ...prestart]) units += result.length + 200
  return children.reduce((sum, { trace }) => sum + bytesOf(trace), 2 * units)
}
