import type { JobHandler } from "../../../memory/services/store/job-runner.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { claimEqual } from "../claims.ts"
import { enqueue } from "./job-rules.ts"
import { exported, idsOf, jobOf, keyOf, type Rules } from "./samples.ts"

const pastMs = 1
const farMs = Date.UTC(2200, 0)

/** Rules of jobs that wait for a moment of their own. */
export const wakeRules: Rules<Pick<Store, "wakes" | "jobs" | "load" | "commit" | "forget" | "export">> = {
  async "a wake waits for its moment and holds up no other job; one that is overdue runs once"({ service, agent, key, until }) {
    const done: string[] = []
    const handler: JobHandler = async ({ payload }) => void done.push(String(payload.name))
    const [far, late] = [jobOf("far", key, { kind: "wake", dueMs: farMs }), jobOf("late", key, { kind: "wake", dueMs: pastMs })]
    claimEqual([await service.wakes.put(far), await service.wakes.put(late)], [true, true], "new wakes")
    claimEqual(await service.wakes.put({ ...late, payload: {} }), false, "a wake of a known id")
    await enqueue(service, jobOf("work", key))
    await service.jobs.start({ work: handler, wake: handler }, { agent })
    await until(() => done.length > 1, "the work and the overdue wake")
    await service.jobs.idle()
    claimEqual(done.sort(), ["late", "work"], "what was done")
    claimEqual(await service.wakes.list({ agent }), [far], "what still waits")
  },
  async "a wake behind a hanging job runs, and waits for a process that has its kind"({ service, agent, key, until }) {
    const done: string[] = []
    const { promise: hang, resolve: release } = Promise.withResolvers<void>()
    await service.wakes.put(jobOf("wake", key, { kind: "wake", dueMs: pastMs }))
    await enqueue(service, jobOf("hangs", key))
    await service.jobs.start({ work: () => hang }, { agent })
    claimEqual(idsOf(await service.wakes.list({ agent })), [`${agent} wake`], "the wake that nobody can run")
    await service.jobs.close({ drainMs: 0, agent })
    const wake: JobHandler = async () => void done.push("wake")
    await service.jobs.start({ work: () => hang, wake }, { agent })
    await until(() => done.length > 0, "the wake")
    release()
    await service.jobs.idle()
    claimEqual(done, ["wake"], "what was done")
  },
  async "wakes are listed by user, deleted by id, kept by exports and forgotten with their user"({ service, agent, key }) {
    const timed = (id: string, user: string) => jobOf(id, keyOf(agent, { user }), { kind: "reminder", dueMs: farMs })
    for (const job of [timed("a", "ann"), timed("b", "ann"), timed("c", "bob")]) await service.wakes.put(job)
    await enqueue(service, jobOf("work", key))
    claimEqual(idsOf(await service.wakes.list({ agent, user: "ann" })).sort(), [`${agent} a`, `${agent} b`], "Ann's wakes")
    await service.wakes.delete(key, "turn a")
    claimEqual(idsOf(await service.wakes.list({ agent, user: "ann" })), [`${agent} b`], "Ann's wakes without one")
    const rows = (await exported(service, agent)).map((line) => JSON.parse(line) as { job?: { dueMs?: number } })
    claimEqual(rows.filter(({ job }) => job?.dueMs === farMs).length, 2, "the wakes in the export")
    await service.forget({ agent, user: "ann" })
    claimEqual(idsOf(await service.wakes.list({ agent })), [`${agent} c`], "the wakes when Ann is forgotten")
  },
}
