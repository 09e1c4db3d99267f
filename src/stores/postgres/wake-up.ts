import type { Client } from "pg"
import { messageOf } from "../../core/errors.ts"
import type { RandomSource, Timers } from "../../core/ports.ts"

/** The parts of a listening connection. */
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
export function listenForWakeUps(options: WakeUpOptions): { close(): Promise<void> } {
  let closed = false
  let client: Client | undefined
  let failures = 0
  let waiting: unknown

  const lost = (current: Client, reason: string) => {
    if (client !== current) return
    client = undefined
    void end(current)
    if (closed) return
    if (failures === 0) options.onWarning(`jobs: not woken at once until the listening connection is back (${reason})`)
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures, 6)) * (0.5 + options.random() / 2)
    failures += 1
    waiting = options.timers.set(() => void listen(), waitMs)
  }

  async function listen(): Promise<void> {
    const current = options.connect()
    client = current
    current.on("error", (error) => lost(current, messageOf(error)))
    current.on("end", () => lost(current, "it ended"))
    current.on("notification", ({ payload = "" }) => options.onMessage(payload))
    try {
      await current.connect()
      await current.query(`listen "${options.channel}"`)
      if (closed) return
      failures = 0
      options.onMessage("")
    } catch (error) {
      lost(current, messageOf(error))
    }
  }

  void listen()
  return {
    async close() {
      closed = true
      options.timers.clear(waiting)
      const current = client
      client = undefined
      if (current) await end(current)
    },
  }
}

/** Ends a client in any state. One that never connected throws, which does not matter. */
async function end(client: Client): Promise<void> {
  await client.end().catch(() => undefined)
}
