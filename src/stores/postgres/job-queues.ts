import type { PgBoss } from "pg-boss"
import { queueSettings } from "./job-engine.ts"
import { queueOf } from "./job-names.ts"
import type { PostgresSettings } from "./postgres-options.ts"

/** The queues that are known to be there. */
export interface JobQueues {
  /** Makes an agent's queue where it is missing. Never within a transaction: it takes a connection of its own. */
  ensure(agent: string): Promise<string>
}

/** Remembers which queues are there: one question for each agent and process. */
export function jobQueues(engine: PgBoss, settings: PostgresSettings): JobQueues {
  const known = new Map<string, Promise<string>>()

  async function make(agent: string): Promise<string> {
    const name = queueOf(agent)
    await engine.createQueue(name, { policy: "key_strict_fifo", ...queueSettings(settings) })
    // pg-boss asks for a queue's properties before its first job: here and not in the midst of a turn's transaction.
    await engine.insert(name, [])
    return name
  }

  return {
    ensure(agent) {
      const waiting = known.get(agent)
      if (waiting) return waiting
      const made = make(agent)
      known.set(agent, made)
      made.catch(() => known.delete(agent))
      return made
    },
  }
}
