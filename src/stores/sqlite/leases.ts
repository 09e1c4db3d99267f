import type { Clock } from "../../core/ports.ts"
import { keyText } from "../sql/key-columns.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import { jobQueries } from "./sqlite-jobs.ts"

/** The right to run the jobs of an agent. One process has it, as long as it renews it. */
export interface Leases {
  /** Takes an agent's lease or renews it; false while another process has it. */
  hold(agent: string): Promise<boolean>
  /** Gives up an agent's lease, or all, so that another process can take it at once. */
  release(agent?: string): Promise<void>
}

/** Leases of `owner`, a name that no other process has. A lease that is not renewed for `leaseMs` can be taken by another owner. */
export function createLeases(
  { write }: SqlDatabase,
  { owner, leaseMs, clock }: { readonly owner: string; readonly leaseMs: number; readonly clock: Clock },
): Leases {
  const renewAtMs = new Map<string, number>()

  async function take(agent: string): Promise<boolean> {
    const nowMs = clock.nowMs()
    const row = { owner, expires_ms: nowMs + leaseMs }
    const taken = await write((db) =>
      jobQueries(db)
        .insertInto("leases")
        .values({ agent: keyText(agent), ...row })
        .onConflict((conflict) =>
          conflict
            .column("agent")
            .doUpdateSet(row)
            .where(({ or, eb }) => or([eb("leases.owner", "=", owner), eb("leases.expires_ms", "<=", nowMs)])),
        )
        .returning("owner")
        .executeTakeFirst(),
    )
    if (taken === undefined) renewAtMs.delete(agent)
    else renewAtMs.set(agent, nowMs + leaseMs / 3)
    return taken !== undefined
  }

  return {
    hold: async (agent) => clock.nowMs() < (renewAtMs.get(agent) ?? 0) || take(agent),
    async release(agent) {
      if (agent === undefined) renewAtMs.clear()
      else renewAtMs.delete(agent)
      await write((db) => {
        const own = jobQueries(db).deleteFrom("leases").where("owner", "=", owner)
        return (agent === undefined ? own : own.where("agent", "=", keyText(agent))).execute()
      })
    },
  }
}
