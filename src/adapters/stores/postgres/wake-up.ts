import type { Client } from "pg"
import { messageOf } from "../../../core/errors.ts"
import type { RandomSource, Timers } from "../../../core/ports.ts"

/** The parts of a {@link WakeUpListener}. */
interface WakeUpOptions {
  /** Makes a new client; a client of `pg` connects only once. */
  readonly connect: () => Client
  readonly channel: string
  readonly timers: Timers
  readonly random: RandomSource
  /** Called with every message. Called with an empty one after each connection, because messages may have been missed before. */
  readonly onMessage: (message: string) => void
  readonly onWarning: (message: string) => void
}

const firstWaitMs = 500
const longestWaitMs = 30_000

/** Listens on a connection of its own. When that is lost it connects again, with backoff and jitter, until it is closed. */
export class WakeUpListener {
  readonly #options: WakeUpOptions
  #isClosed = false
  #client: Client | undefined
  #failures = 0
  #waiting: unknown

  constructor(options: WakeUpOptions) {
    this.#options = options
    void this.#listen()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#options.timers.clear(this.#waiting)
    const client = this.#client
    this.#client = undefined
    if (client) await end(client)
  }

  async #listen(): Promise<void> {
    const { connect, channel, onMessage } = this.#options
    const client = connect()
    this.#client = client
    client.on("error", (error) => this.#lost(client, messageOf(error)))
    client.on("end", () => this.#lost(client, "it ended"))
    client.on("notification", ({ payload = "" }) => onMessage(payload))
    try {
      await client.connect()
      await client.query(`listen "${channel}"`)
      if (this.#isClosed) return
      this.#failures = 0
      onMessage("")
    } catch (error) {
      this.#lost(client, messageOf(error))
    }
  }

  #lost(client: Client, reason: string): void {
    if (this.#client !== client) return
    this.#client = undefined
    void end(client)
    if (this.#isClosed) return
    const { timers, random, onWarning } = this.#options
    if (this.#failures === 0) onWarning(`jobs: not woken at once until the listening connection is back (${reason})`)
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(this.#failures, 6)) * (0.5 + random() / 2)
    this.#failures += 1
    this.#waiting = timers.set(() => void this.#listen(), waitMs)
  }
}

/** Ends a client in any state. One that never connected throws, which does not matter. */
async function end(client: Client): Promise<void> {
  await client.end().catch(() => undefined)
}
