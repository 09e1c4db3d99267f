import { checkOptions, shownValue } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Clock } from "../../core/ports.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import type { TurnTrace } from "../../trace/trace.ts"
import { HttpProblem } from "./http-problem.ts"

/** Bounds on what is asked of a server. One that is absent is no bound. */
export interface RequestLimits {
  /** The most requests of one user within any minute. One more gets status 429. Those that stop a turn do not count. */
  readonly requestsPerMinute?: number | undefined
  /** A user whose turns used so many tokens within the last minute gets status 429. Tokens count when their turn ends. */
  readonly tokensPerMinute?: number | undefined
  /** The most turns at once, of all users. One more gets status 503, before its body is read. */
  readonly turnsAtOnce?: number | undefined
  /**
   * The most bytes of bodies that are read or whose turns run, of all users. A body that would make it more gets status 503, unless it is
   * the only one. While its turn runs, all of it but files counts eight times, as a turn holds it in many forms.
   */
  readonly bodyBytesAtOnce?: number | undefined
}

/** A request that was let in. */
export interface Admission {
  /** Takes the turn that the request started. It has its place until it ends, also if the client leaves. */
  holds(turn: Turn): void
  /** Counts bytes of the body. Throws {@link HttpProblem} if those of all requests become too many. */
  takes(bytes: number): void
  /** Counts the body as its turn holds it; `fileBytes` of it are files. Throws as `takes` does. */
  weighs(fileBytes: number): void
}

type AnswerRequest = (admission: Admission) => Response | Promise<Response>

const minuteMs = 60_000
/** After this time a client asks again if all turns were taken. */
const busyMs = 2_000
/** A turn takes at least this much memory, in bytes, for a byte of words. */
const bytesHeldOfWords = 8

/** Lets requests in as far as the limits allow. */
export class RequestGate {
  readonly #requests: MinuteWindow
  readonly #tokens: MinuteWindow
  readonly #turnsAtOnce: number
  readonly #bodyBytesAtOnce: number
  #turns = 0
  #bodyBytes = 0
  /** Those of the bodies that turns hold, which count no more as bodies. */
  #heldBytes = 0

  /** Throws `usage` for a limit that is none. */
  constructor(limits: RequestLimits, clock: Clock) {
    checkOptions("limits of createHandler", limits, "requestsPerMinute tokensPerMinute turnsAtOnce bodyBytesAtOnce")
    const { requestsPerMinute = Number.POSITIVE_INFINITY, tokensPerMinute = Number.POSITIVE_INFINITY } = limits
    const { turnsAtOnce = Number.POSITIVE_INFINITY, bodyBytesAtOnce = Number.POSITIVE_INFINITY } = limits
    for (const [name, limit] of Object.entries({ requestsPerMinute, tokensPerMinute, turnsAtOnce, bodyBytesAtOnce }))
      if (typeof limit !== "number" || !(limit >= 1))
        throw new PromptStrataError("usage", `expected ${name} of at least 1, found ${shownValue(limit)}.`)
    this.#requests = new MinuteWindow(requestsPerMinute, clock)
    this.#tokens = new MinuteWindow(tokensPerMinute, clock)
    this.#turnsAtOnce = turnsAtOnce
    this.#bodyBytesAtOnce = bodyBytesAtOnce
  }

  /** Answers a request of a user. Throws {@link HttpProblem} for one over a limit, with the time after which it may come again. */
  async admit(user: string, method: string, answer: AnswerRequest): Promise<Response> {
    if (method === "DELETE") return answer(free)
    refuse(this.#requests.waitMs(user), "requests")
    if (method === "POST") {
      refuse(this.#tokens.waitMs(user), "tokens")
      if (this.#turns >= this.#turnsAtOnce)
        throw busy(`All ${this.#turnsAtOnce} answers that this server gives at once are being made.`)
    }
    this.#requests.add(user, 1)
    return method === "POST" ? this.#inPlace(user, answer) : answer(free)
  }

  /** Takes a place until the answer has begun and its turn has ended. */
  async #inPlace(user: string, answer: AnswerRequest): Promise<Response> {
    let [holders, own, held] = [1, 0, 0]
    const leave = (): void => {
      if (--holders > 0) return
      this.#turns--
      this.#bodyBytes -= own
      this.#heldBytes -= held
    }
    const refuseMore = (others: number, bytes: number): void => {
      if (others > 0 && others + bytes > this.#bodyBytesAtOnce)
        throw busy(`This server reads no more than ${this.#bodyBytesAtOnce} bytes of requests at once.`)
    }
    const takes = (bytes: number): void => {
      refuseMore(this.#bodyBytes + this.#heldBytes - own, own + bytes)
      own += bytes
      this.#bodyBytes += bytes
    }
    const weighs = (fileBytes: number): void => {
      const bytes = fileBytes + Math.max(0, own - fileBytes) * bytesHeldOfWords
      refuseMore(this.#heldBytes, bytes)
      this.#heldBytes += held = bytes
      this.#bodyBytes -= own
      own = 0
    }
    const holds = (turn: Turn): void => {
      holders++
      void turn.result.then(({ trace }) => {
        this.#tokens.add(user, tokensOf(trace))
        leave()
      })
    }
    this.#turns++
    try {
      return await answer({ holds, takes, weighs })
    } finally {
      leave()
    }
  }
}

/** The admission of a request that starts no turn. */
const free: Admission = { holds: () => undefined, takes: () => undefined, weighs: () => undefined }

function busy(message: string): HttpProblem {
  return new HttpProblem(503, message, { code: "server_busy", retryAfterMs: busyMs })
}

function refuse(waitMs: number, what: string): void {
  if (waitMs === 0) return
  throw new HttpProblem(429, `This user has had all ${what} of this minute.`, {
    code: "rate_limit_exceeded",
    retryAfterMs: waitMs,
  })
}

/** The tokens of all requests of a turn. What a provider did not report is taken from the prompts, and from the length of the outputs. */
function tokensOf({ usage, steps }: TurnTrace): number {
  const prompts = () => steps.reduce((sum, { assembly }) => sum + assembly.tokens + assembly.overheadTokens, 0)
  const outputs = () => steps.reduce((sum, { output }) => sum + Math.ceil(output.length / 4), 0)
  return (usage.inputTokens ?? prompts()) + (usage.outputTokens ?? outputs())
}

interface Withdrawal {
  readonly atMs: number
  readonly amount: number
}

/** The amounts that each user took within the last minute. It forgets users who took nothing since. */
class MinuteWindow {
  readonly #limit: number
  readonly #clock: Clock
  /** The users in the order of what they took last. */
  readonly #users = new Map<string, readonly Withdrawal[]>()

  constructor(limit: number, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  /** The time after which the user has less than the limit; 0 for one that has less now. */
  waitMs(user: string): number {
    const nowMs = this.#clock.nowMs()
    let left = this.#since(user, nowMs).reduce((sum, { amount }) => sum + amount, 0)
    for (const { atMs, amount } of this.#since(user, nowMs)) {
      if (left < this.#limit) break
      left -= amount
      if (left < this.#limit) return atMs + minuteMs - nowMs
    }
    return 0
  }

  add(user: string, amount: number): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return
    const nowMs = this.#clock.nowMs()
    const taken = [...this.#since(user, nowMs), { atMs: nowMs, amount }]
    this.#users.delete(user)
    this.#users.set(user, taken)
    for (const [other, all] of this.#users) {
      if ((all.at(-1)?.atMs ?? 0) > nowMs - minuteMs) break
      this.#users.delete(other)
    }
  }

  #since(user: string, nowMs: number): readonly Withdrawal[] {
    return (this.#users.get(user) ?? []).filter(({ atMs }) => atMs > nowMs - minuteMs)
  }
}
