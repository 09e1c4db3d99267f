import type { Clock } from "../../../core/ports.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import { jobQueries } from "./sqlite-jobs.ts"

/**
 * The rights to run the jobs of agents. One process has the lease of an agent, as long as it renews it: a lease that is not renewed for
 * `leaseMs` can be taken by another process. So can one that ends more than twice as far ahead, because the clock was set back after it
 * was written. All processes of a file have the same `leaseMs`. `owner` is a name that no other process has.
 */
export class Leases {
  readonly #database: SqlDatabase
  readonly #options: { readonly owner: string; readonly leaseMs: number; readonly clock: Clock }
  readonly #renewAtMs = new Map<string, number>()

  constructor(database: SqlDatabase, options: { readonly owner: string; readonly leaseMs: number; readonly clock: Clock }) {
    this.#database = database
    this.#options = options
  }

  /** Takes an agent's lease or renews it; false while another process has it. */
  async hold(agent: string): Promise<boolean> {
    const { owner, leaseMs, clock } = this.#options
    const nowMs = clock.nowMs()
    const renewInMs = (this.#renewAtMs.get(agent) ?? 0) - nowMs
    // After the clock was set back, more is left than there was at first: the lease is written anew.
    if (renewInMs > 0 && renewInMs <= leaseMs / 3) return true
    const row = { owner, expires_ms: nowMs + leaseMs }
    const taken = await this.#database.write((db) =>
      jobQueries(db)
        .insertInto("leases")
        .values({ agent: keyText(agent), ...row })
        .onConflict((conflict) =>
          conflict
            .column("agent")
            .doUpdateSet(row)
            .where(({ or, eb }) =>
              or([
                eb("leases.owner", "=", owner),
                eb("leases.expires_ms", "<=", nowMs),
                eb("leases.expires_ms", ">", nowMs + 2 * leaseMs),
              ]),
            ),
        )
        .returning("owner")
        .executeTakeFirst(),
    )
    if (taken === undefined) this.#renewAtMs.delete(agent)
    else this.#renewAtMs.set(agent, nowMs + leaseMs / 3)
    return taken !== undefined
  }

  /** Gives up an agent's lease, or all, so that another process can take it at once. */
  async release(agent?: string): Promise<void> {
    if (agent === undefined) this.#renewAtMs.clear()
    else this.#renewAtMs.delete(agent)
    await this.#database.write((db) => {
      const own = jobQueries(db).deleteFrom("leases").where("owner", "=", this.#options.owner)
      return (agent === undefined ? own : own.where("agent", "=", keyText(agent))).execute()
    })
  }
}
