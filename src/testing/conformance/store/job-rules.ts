import type { ServiceKey } from "../../../core/conversation.ts"
import type { Job, JobHandler } from "../../../memory/services/store/job-runner.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual } from "../claims.ts"
import { commitOf, exported, idsOf, jobOf, keyOf, type Rules } from "./samples.ts"

/** The part of a store that the rules of jobs use. */
export type JobStore = Pick<Store, "load" | "commit" | "jobs">

/** Commits a turn for each job. */
export async function enqueue(store: JobStore, ...jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    const version = (await store.load(job.key))?.version ?? 0
    await store.commit(job.key, commitOf(version, [], { jobs: [job] }))
  }
}

/** Starts a worker that appends the name of each job to the returned list. */
export async function startWriting({ jobs }: JobStore, agent: string): Promise<string[]> {
  const done: string[] = []
  await jobs.start({ work: async ({ payload }) => void done.push(String(payload.name)) }, { agent })
  return done
}

/** Rules of running the jobs that commits enqueue. */
export const jobRules: Rules<JobStore> = {
  async "jobs of a conversation run one at a time, in the order of their commits, with their payload"({ service, agent, key }) {
    const seen: Job[] = []
    let running = 0
    const work: JobHandler = async (job) => {
      claim(++running === 1, "one job of a conversation at a time", running)
      await new Promise<void>((resolve) => queueMicrotask(resolve))
      seen.push(job)
      running--
    }
    const jobs = ["1", "2", "3", "4"].map((id) => jobOf(id, key, { payload: { name: id, b: 1, a: [null] } }))
    await service.commit(key, commitOf(0, [], { jobs: jobs.slice(0, 2) }))
    await service.jobs.start({ work }, { agent })
    await service.commit(key, commitOf(1, [], { jobs: jobs.slice(2) }))
    await service.jobs.idle()
    claimEqual(seen, jobs, "the jobs as they ran")
  },
  async "a hanging job does not delay other conversations"({ service, agent, until }) {
    const done: string[] = []
    const { promise: hang, resolve: release } = Promise.withResolvers<void>()
    const work: JobHandler = async ({ payload }) => {
      if (payload.name === "hangs") await hang
      done.push(String(payload.name))
    }
    await service.jobs.start({ work }, { agent })
    await enqueue(service, jobOf("hangs", keyOf(agent)), jobOf("later", keyOf(agent)))
    await enqueue(service, jobOf("other", keyOf(agent, { conversation: "other" })))
    await until(() => done.includes("other"), "the other conversation's job to be done")
    claimEqual(done, ["other"], "what is done while a job hangs")
    release()
    await service.jobs.idle()
    claimEqual(done, ["other", "hangs", "later"], "what is done in the end")
  },
  async "a job enqueued twice under one id runs once"({ service, agent }) {
    const job = jobOf("once", keyOf(agent))
    await enqueue(service, job, { ...job, payload: { name: "again" } })
    const done = await startWriting(service, agent)
    await service.jobs.idle()
    await enqueue(service, job)
    await service.jobs.idle()
    claimEqual(done, ["once"], "what was done")
  },
  async "a refused commit enqueues nothing"({ service, agent, key }) {
    const done = await startWriting(service, agent)
    await service.commit(key, commitOf(9, [], { jobs: [jobOf("stale", key)] })).catch(() => undefined)
    await enqueue(service, jobOf("fresh", key))
    await service.jobs.idle()
    claimEqual(done, ["fresh"], "what was done")
  },
  async "a job of an unknown kind waits, becomes no dead letter and delays no other job"({ service, agent, key }) {
    const done = await startWriting(service, agent)
    await enqueue(service, jobOf("strange", key, { kind: "constructor" }), jobOf("known", key))
    await service.jobs.idle()
    claimEqual(done, ["known"], "what was done")
    claimEqual(await deadOf(service, agent), [], "dead letters")
  },
  async "a failed job is tried again, with the number of the attempt, before the next job of its conversation"(scene) {
    const { service, agent, until } = scene
    const attempts: string[] = []
    const work: JobHandler = async ({ payload }, { attempt, isLast }) => {
      attempts.push(`${payload.name} ${attempt}${isLast ? " last" : ""}`)
      if (payload.name === "fails once" && attempt === 1) throw new Error("not now")
    }
    await service.jobs.start({ work }, { agent })
    await enqueue(service, jobOf("fails once", keyOf(agent)), jobOf("next", keyOf(agent)))
    await until(() => attempts.length >= 3, "a second attempt and the next job")
    await service.jobs.idle()
    claimEqual(attempts, ["fails once 1", "fails once 2", "next 1"], "the attempts")
  },
  async "a job that fails for good becomes a dead letter with the reason, and the next job runs"({ service, agent, until }) {
    const attempts: (readonly [unknown, number, boolean])[] = []
    const work: JobHandler = async ({ payload }, { attempt, isLast }) => {
      attempts.push([payload.name, attempt, isLast])
      if (payload.name === "never") throw new Error("the reason")
    }
    const job = jobOf("never", keyOf(agent))
    await service.jobs.start({ work }, { agent })
    await enqueue(service, job, jobOf("next", keyOf(agent)))
    await until(() => attempts.some(([name]) => name === "next"), "the next job to run after a dead one")
    await service.jobs.idle()
    const tried = attempts.filter(([name]) => name === "never")
    const isTold = tried.every(([, attempt, isLast], at) => attempt === at + 1 && isLast === (at === tried.length - 1))
    claim(isTold, "attempts counted from 1, the last one told so", tried)
    const [dead, ...more] = await deadOf(service, agent)
    claim(dead !== undefined && more.length === 0, "one dead letter", more.length)
    claimEqual([dead.job, dead.attempts], [job, tried.length], "the dead letter")
    claim(dead.error.includes("the reason"), "the reason in the dead letter", dead.error)
  },
  async "several agents share a store, and each does its own jobs"({ service, agent, until }) {
    const other = `${agent} 2`
    const done = await startWriting(service, agent)
    await enqueue(service, jobOf("other's", keyOf(other)), jobOf("own", keyOf(agent)))
    await until(() => done.length > 0, "the first agent's job to be done")
    await service.jobs.idle()
    claimEqual(done, ["own"], "what was done before the other agent began")
    const work: JobHandler = async ({ key }) => void done.push(`by ${key.agent === other ? "the other" : "the wrong one"}`)
    await service.jobs.start({ work }, { agent: other })
    await until(() => done.length > 1, "the second agent's job to be done")
    claimEqual(done, ["own", "by the other"], "what was done in the end")
    await service.jobs.close({ drainMs: 0, agent: other })
    await enqueue(service, jobOf("late", keyOf(other)), jobOf("own too", keyOf(agent)))
    await until(() => done.length > 2, "the first agent's next job to be done")
    await service.jobs.idle()
    claimEqual(done, ["own", "by the other", "own too"], "what was done once the other agent was closed")
  },
  async "closing an agent stops its jobs; handlers for all agents, where there are some, then do them"(scene) {
    const { service, agent, until } = scene
    const kind = `work of ${agent}`
    const seen: string[] = []
    const hang: JobHandler = (_, { signal }) => {
      signal.addEventListener("abort", () => seen.push("stopped"))
      seen.push("begun")
      return new Promise(() => undefined)
    }
    await service.jobs.start({ [kind]: async ({ id }, { attempt }) => void seen.push(`${id} for all: ${attempt}`) })
    await service.jobs.start({ [kind]: hang }, { agent })
    await enqueue(service, jobOf("hangs", keyOf(agent), { id: "hangs", kind }))
    await until(() => seen.length > 0, "the job to begin")
    await service.jobs.close({ drainMs: 0, agent })
    await until(() => seen.length > 2, "the handlers for all agents to do the job")
    claimEqual(seen, ["begun", "stopped", "hangs for all: 1"], "what happened")
  },
  async "closing aborts jobs that outlast the drain; they stay in the store and the attempt does not count"(scene) {
    const { service, agent, key, until } = scene
    const signals: AbortSignal[] = []
    const hang: JobHandler = (_, { signal }) => {
      signals.push(signal)
      return new Promise(() => undefined)
    }
    await service.jobs.start({ work: hang }, { agent })
    await enqueue(service, jobOf("hangs", key), jobOf("waits", key))
    await until(() => signals.length === 1, "the job to begin")
    await service.jobs.close({ drainMs: 0 })
    claim(signals.length === 1 && signals[0]?.aborted === true, "one attempt, which is aborted", signals.length)
    claimEqual(await deadOf(service, agent), [], "dead letters")
    claimEqual(await waitingJobs(service, key), ["hangs 0", "waits 0"], "the jobs in the store, and their attempts")
  },
}

async function deadOf({ jobs }: JobStore, agent: string) {
  return (await jobs.dead()).filter(({ job }) => job.key.agent === agent)
}

/** The jobs in the export, with their attempts; none if the store cannot export. */
async function waitingJobs(store: JobStore & Partial<Pick<Store, "export">>, { agent }: ServiceKey): Promise<unknown> {
  const found: unknown[] = []
  for await (const line of store.export?.({ agent }) ?? []) {
    const row = JSON.parse(line) as { table: string; job?: Job; attempts?: number }
    if (row.table === "job") found.push(`${row.job?.payload.name} ${row.attempts}`)
  }
  return found
}

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
