import type { Clock } from "../../core/ports.ts"
import type { Agent } from "../../loop/agent/agent.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { blobId } from "../../memory/services/store/blob.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import { type Answer, answerOf, type Caller, leaveOf, seenEvents } from "./exchange.ts"
import { HttpProblem } from "./http-problem.ts"
import { type Claim, claimKey, freeKey, noteLost, noteTurn, takeLost } from "./key-claims.ts"
import { effectsOf } from "./turn-failure.ts"

/** The answer to a request that may be a repeated one. */
interface Reply {
  readonly answer: Answer
  /** Called if the client leaves before the answer ends. */
  readonly leave: () => void
  /** The response, watched for its delivery. */
  readonly deliver: (response: Response) => Response
}

interface RepeatableRequest {
  readonly agent: Agent
  readonly body: Readonly<Record<string, unknown>>
  /** Starts the turn. */
  readonly start: () => Turn | Promise<Turn>
}

interface First {
  readonly asked: RepeatableRequest
  /** Absent for a conversation that is not kept. */
  readonly claim: Claim | undefined
  readonly hasKey: boolean
}

/** The run of a request, for requests that repeat it. */
interface Run {
  /** The digest of what was asked. */
  readonly print: string
  answer: Promise<Answer>
  atMs: number
  isOver: boolean
  characters: number
  /** True if the client left before it had the answer. */
  isLost: boolean
  /** True once the store has that, which all processes share; false if it could not be written. */
  noted?: Promise<boolean>
}

const maxRuns = 1_000
const maxCharacters = 20_000_000
const dayMs = 86_400_000
/** After this time the same words are new ones. */
const lostMs = 600_000
const maxKeyLength = 255

/**
 * Gives repeated requests the answer of the first one: those with its `idempotency-key`, and without a key, the same last message of a
 * kept conversation whose answer did not reach its client. A run that did nothing and failed is forgotten, so that it can be repeated.
 */
export class Repeats {
  readonly #clock: Clock
  /** The oldest first. */
  readonly #runs = new Map<string, Run>()
  #characters = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Starts the turn of a request, or finds the one that it repeats. Throws {@link HttpProblem} for a key that has another request. */
  async reply(request: Request, caller: Caller, asked: RepeatableRequest): Promise<Reply> {
    const key = keyOf(request)
    const { user, conversation } = caller
    if (key === undefined && conversation === undefined) {
      const turn = await asked.start()
      return { answer: turn, leave: leaveOf(turn, caller), deliver: (response) => response }
    }
    const { body } = asked
    const name = await digest(key === undefined ? ["last", user, conversation, body.model] : ["key", user, key])
    const path = new URL(request.url).pathname
    const print = await digest(key === undefined ? lastOf(body) : [path, conversation, body])
    const known = this.#known(name)
    if (key !== undefined && known !== undefined && known.print !== print) throw otherRequest()
    const nowMs = this.#clock.nowMs()
    const claim = conversation === undefined ? undefined : { ...asked, caller, conversation, key: name }
    const isLost = known?.isLost && known.print === print && known.atMs > nowMs - lostMs
    const isSame = key !== undefined || (isLost && (await isStillLost(known, claim)))
    const run: Run = known && isSame ? known : { print, answer: never, atMs: nowMs, isOver: false, characters: 0, isLost: false }
    run.isLost = false
    if (run !== known) {
      this.#forget(name)
      this.#runs.set(name, run)
      run.answer = this.#first(name, run, { asked, claim, hasKey: key !== undefined })
    }
    const watch = key === undefined && claim ? this.#watch(claim, run, request) : undefined
    return { answer: await run.answer, leave: () => undefined, deliver: watch ?? ((response) => response) }
  }

  async #first(name: string, run: Run, { asked, claim, hasKey }: First): Promise<Answer> {
    const nowMs = this.#clock.nowMs()
    const claimed = hasKey ? claim : undefined
    try {
      const before = claimed
        ? await claimKey(claimed, { print: run.print, nowMs, sinceMs: nowMs - dayMs })
        : claim && (await takeLost(claim, { print: run.print, sinceMs: nowMs - lostMs }))
      if (before === "other") throw otherRequest()
      if (before) this.#end(run, before, 0)
      if (before) return before
    } catch (error) {
      this.#forget(name, run)
      throw error
    }
    try {
      const turn = await asked.start()
      const begun = claimed && noteTurn(claimed, { atMs: nowMs, turnId: turn.id }).catch(() => undefined)
      void this.#follow(turn, claim !== undefined).then(async ({ answer, characters, isDone }) => {
        if (isDone) this.#end(run, answer, characters)
        else this.#forget(name, run)
        if (claimed && !isDone) await freeKey(claimed).catch(() => undefined)
        // The answer to an approval goes on with the turn that asked.
        if (!isDone || answer.id === turn.id || !claim || !(begun || run.isLost)) return
        await (begun ?? run.noted)
        await noteTurn(claim, { atMs: begun ? nowMs : run.atMs, turnId: answer.id }).catch(() => undefined)
      })
      return turn
    } catch (error) {
      this.#forget(name, run)
      if (claimed) await freeKey(claimed)
      throw error
    }
  }

  /** Waits for a turn. `isDone`: a second run would do something again. */
  async #follow(turn: Turn, isKept: boolean) {
    const { ran, kept } = await effectsOf(turn, isKept)
    const events = await seenEvents(turn)
    const { result } = events.at(-1) as TurnEvent & { readonly type: "turn-end" }
    const answer = answerOf(result.trace.turnId, events)
    return { answer, characters: JSON.stringify(events).length, isDone: result.ok || ran || kept }
  }

  #end(run: Run, answer: Answer, characters: number): void {
    run.answer = Promise.resolve(answer)
    run.isOver = true
    run.characters = characters
    this.#characters += characters
  }

  /** Watches whether a response reaches its client. Returns how to send it. */
  #watch(claim: Claim, run: Run, request: Request): (response: Response) => Response {
    let isOver = false
    const end = (isDelivered: boolean): void => {
      if (isOver) return
      isOver = true
      if (isDelivered) this.#forget(claim.key, run)
      else this.#lose(claim, run)
    }
    request.signal.addEventListener("abort", () => end(false), { once: true })
    return (response) => {
      const reader = response.body?.getReader()
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
        const { done, value } = (await reader?.read()) ?? { done: true }
        if (value) return controller.enqueue(value)
        if (!done) return
        end(true)
        controller.close()
      }
      const cancel = (reason: unknown): void => {
        end(false)
        void reader?.cancel(reason).catch(() => undefined)
      }
      return new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }), response)
    }
  }

  /** Keeps the answer of a run for the next request, here and for other processes. */
  #lose(claim: Claim, run: Run): void {
    const { print, answer } = run
    const atMs = this.#clock.nowMs()
    const noted = answer.then(({ id: turnId }) => noteLost(claim, { print, atMs, turnId }))
    Object.assign(run, { isLost: true, atMs })
    run.noted = noted.then(
      () => true,
      () => false,
    )
  }

  /** The run of a name, after those were forgotten that are too old or too many. */
  #known(name: string): Run | undefined {
    const sinceMs = this.#clock.nowMs() - dayMs
    for (const [other, { isOver, atMs }] of this.#runs) {
      if (this.#runs.size < maxRuns && this.#characters <= maxCharacters && atMs > sinceMs) break
      if (isOver) this.#forget(other)
    }
    return this.#runs.get(name)
  }

  #forget(name: string, run = this.#runs.get(name)): void {
    if (run === undefined || this.#runs.get(name) !== run) return
    this.#runs.delete(name)
    this.#characters -= run.characters
  }
}

/** True if no other process gave a lost answer meanwhile. */
async function isStillLost({ noted }: Run, claim: Claim | undefined): Promise<boolean> {
  if (claim === undefined || (await noted) === false) return true
  return freeKey(claim).catch(() => true)
}

const never = new Promise<Answer>(() => undefined)

function keyOf({ headers }: Request): string | undefined {
  const key = headers.get("idempotency-key") ?? undefined
  if (key === undefined || (key !== "" && key.length <= maxKeyLength)) return key
  throw new HttpProblem(400, `Expected 1 to ${maxKeyLength} characters in idempotency-key.`, { param: "idempotency-key" })
}

function otherRequest(): HttpProblem {
  const message = "This idempotency-key was used with another request. Give each request a key of its own."
  return new HttpProblem(422, message, { param: "idempotency-key", code: "idempotency_key_reused" })
}

/** The last message of a request without its id, which a page makes anew. */
function lastOf({ messages, trigger, messageId, resume }: Readonly<Record<string, unknown>>): unknown {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  return [typeof last === "object" && last !== null ? { ...last, id: undefined } : last, trigger, messageId, resume]
}

/** Digits that differ for values that differ. Shorter than the id of a blob, which a store would look for. */
async function digest(value: unknown): Promise<string> {
  try {
    return (await blobId(new TextEncoder().encode(JSON.stringify(value)))).slice(0, 40)
  } catch {
    throw new HttpProblem(400, "The body is nested too deeply.")
  }
}
