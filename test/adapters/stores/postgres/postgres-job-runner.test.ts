import { beforeAll, describe, expect, test } from "vitest"
import { jobUuid } from "../../../../src/adapters/stores/postgres/stored-job.ts"
import type { Job, JobHandler } from "../../../../src/memory/services/store/job-runner.ts"
import { collect } from "../../../support/collect.ts"
import { makeDatabase, query } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf, said } from "./support/turns.ts"

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})

let agents = 0
/** An agent of this test only: runners do not see jobs of other agents. */
function newAgent(): string {
  agents += 1
  return `agent ${agents}`
}

/** A promise and the function that settles it. */
const gate = () => Promise.withResolvers<void>()

/** Records the ids of jobs in the order in which they are done. */
function recorder(): { readonly done: string[]; readonly handler: JobHandler } {
  const done: string[] = []
  return { done, handler: async ({ id }) => void done.push(id) }
}

describe("jobs on PostgreSQL", () => {
  test("a job runs once its turn is committed, with everything it was given", async () => {
    const agent = newAgent()
    const [web, worker] = await Promise.all([openStoreFor(url), openStoreFor(url)])
    const key = keyOf("c\0 \ud800 \" '", { agent, user: "u\0" })
    const job = jobOf("job\0", key, { payload: { text: "NUL \0, half \ud83d a character", nested: [1, null, { a: true }] } })
    const { promise, resolve } = Promise.withResolvers<Job>()
    await worker.jobs.start({ work: async (given) => resolve(given) }, { agent })
    await commitJobs(web, key, [job])
    expect(await promise).toEqual(job)
  })

  test("a dead letter keeps why it failed, whatever characters that has, and its place in an export", async () => {
    const agent = newAgent()
    const store = await openStoreFor(url, { jobs: { maxAttempts: 1 } })
    const [early, late] = [keyOf("early", { agent }), keyOf("late", { agent })]
    await commitJobs(store, early, [jobOf("early", early)])
    await commitJobs(store, late, [jobOf("late", late)])
    const { promise, resolve } = gate()
    const fail = async ({ id }: Job) => {
      if (id === "late") resolve()
      else await promise
      throw new Error("\0 half \ud83d")
    }
    await store.jobs.start({ work: fail }, { agent })
    await store.jobs.idle()
    const rows = (await collect(store.export({ agent }))).map((line) => JSON.parse(line))
    expect(rows.filter(({ table }) => table === "job").map(({ job, error }) => [job.id, error])).toEqual([
      ["early", "\0 half \ud83d"],
      ["late", "\0 half \ud83d"],
    ])
  })

  test("why an attempt failed stands in the engine's own table, without the characters that JSON cannot hold there", async () => {
    const agent = newAgent()
    const store = await openStoreFor(url, { jobs: { maxAttempts: 2, waitMs: 3_600_000, maxWaitMs: 3_600_000 } })
    const key = keyOf("c", { agent })
    await commitJobs(store, key, [jobOf("odd", key)])
    const { promise, resolve } = gate()
    const fail = async () => {
      setImmediate(resolve)
      throw new Error("\0 half \ud83d")
    }
    await store.jobs.start({ work: fail }, { agent })
    await promise
    const messages = "select output->>'message' as message from pgboss.job where id = $1"
    const read = async () => (await query<{ message: string | null }>(url, messages, [jobUuid("odd")]))[0]?.message
    await expect.poll(read).toBe("\uFFFD half \uFFFD")
  })

  test("a commit that conflicts leaves no job behind", async () => {
    const agent = newAgent()
    const store = await openStoreFor(url)
    const key = keyOf("c", { agent })
    await commitJobs(store, key, [jobOf("first", key)])
    const late = { expectVersion: 0, append: [said("late")], state: {}, jobs: [jobOf("late", key)] }
    await expect(store.commit(key, late)).rejects.toMatchObject({ code: "session-conflict" })
    const { done, handler } = recorder()
    await store.jobs.start({ work: handler }, { agent })
    await store.jobs.idle()
    expect(done).toEqual(["first"])
  })

  test("a job enqueued again under its id is one job, also once it is done", async () => {
    const agent = newAgent()
    const store = await openStoreFor(url)
    const key = keyOf("c", { agent })
    const { done, handler } = recorder()
    await commitJobs(store, key, [jobOf("a", key), jobOf("b", key)])
    await commitJobs(store, key, [jobOf("c", key), jobOf("a", key)])
    await store.jobs.start({ work: handler }, { agent })
    await store.jobs.idle()
    await commitJobs(store, key, [jobOf("b", key)])
    await store.jobs.idle()
    expect(done).toEqual(["a", "b", "c"])
  })

  test("two processes run the jobs of a conversation in their order and one at a time, those of others side by side", async () => {
    const agent = newAgent()
    const stores = await Promise.all([openStoreFor(url), openStoreFor(url)])
    const conversations = Array.from({ length: 6 }, (_, at) => keyOf(`c${at}`, { agent }))
    const busy = new Set<string>()
    const done = new Map<string, string[]>()
    const [severalAtOnce, several] = [Promise.withResolvers<void>(), 2]
    const handler: JobHandler = async ({ id, key }) => {
      expect(busy.has(key.conversation), "nothing else of the conversation runs").toBe(false)
      busy.add(key.conversation)
      if (busy.size === several) severalAtOnce.resolve()
      await severalAtOnce.promise
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
      done.set(key.conversation, [...(done.get(key.conversation) ?? []), id])
      busy.delete(key.conversation)
    }
    for (const store of stores) await store.jobs.start({ first: handler, second: handler }, { agent })
    const expected = new Map<string, string[]>()
    for (let turn = 0; turn < 8; turn++)
      for (const key of conversations) {
        const jobs = ["first", "second"].map((kind) => jobOf(`${key.conversation} ${turn} ${kind}`, key, { kind }))
        expected.set(key.conversation, [...(expected.get(key.conversation) ?? []), ...jobs.map(({ id }) => id)])
        await commitJobs(stores[turn % 2 === 0 ? 0 : 1] ?? stores[0], key, jobs)
      }
    for (const store of stores) await store.jobs.idle()
    expect(done).toEqual(expected)
  })

  test("a failed job is tried again before later ones of its conversation, and becomes a dead letter that holds up none", async () => {
    const agent = newAgent()
    const store = await openStoreFor(url, { jobs: { maxAttempts: 3 } })
    const key = keyOf("c", { agent })
    const tries: string[] = []
    const handler: JobHandler = async ({ id }, { attempt, isLast }) => {
      tries.push(`${id} ${attempt}${isLast ? " last" : ""}`)
      if (id === "bad" || (id === "shaky" && attempt < 2)) throw new Error(`no luck\0 with ${id}`)
    }
    await store.jobs.start({ work: handler }, { agent })
    await commitJobs(store, key, [jobOf("shaky", key), jobOf("bad", key), jobOf("good", key)])
    await expect.poll(() => tries.at(-1)).toBe("good 1")
    await store.jobs.idle()
    expect(tries).toEqual(["shaky 1", "shaky 2", "bad 1", "bad 2", "bad 3 last", "good 1"])
    const dead = (await store.jobs.dead()).filter(({ job }) => job.key.agent === agent)
    expect(dead).toEqual([{ job: jobOf("bad", key), error: "no luck\0 with bad", attempts: 3 }])
    expect((await store.check()).problems).toContainEqual(expect.stringMatching(/^\d+ jobs failed for good: read why/))
  })

  test("a job that nobody here knows waits for a process that does, and holds up no other", async () => {
    const agent = newAgent()
    const [first, second] = await Promise.all([openStoreFor(url), openStoreFor(url)])
    const key = keyOf("c", { agent })
    const ours = recorder()
    const theirs = recorder()
    await first.jobs.start({ work: ours.handler }, { agent })
    await commitJobs(first, key, [jobOf("strange", key, { kind: "toString" }), jobOf("known", key)])
    await first.jobs.idle()
    expect(ours.done).toEqual(["known"])
    await second.jobs.start({ toString: theirs.handler }, { agent })
    await expect.poll(() => theirs.done).toEqual(["strange"])
  })

  test("a job that a process sets aside is taken at once by one that knows it", async () => {
    const agent = newAgent()
    const [first, second] = await Promise.all([openStoreFor(url), openStoreFor(url)])
    const [ours, theirs] = [recorder(), recorder()]
    await first.jobs.start({ work: ours.handler }, { agent })
    await second.jobs.start({ strange: theirs.handler }, { agent })
    const keys = Array.from({ length: 8 }, (_, at) => keyOf(`c${at}`, { agent }))
    for (const key of keys) await commitJobs(first, key, [jobOf(`strange ${key.conversation}`, key, { kind: "strange" })])
    await expect.poll(() => theirs.done.length).toBe(keys.length)
    expect(ours.done).toEqual([])
  })

  test("a runner for one agent leaves the jobs of another alone; one for no agent takes those that nobody named", async () => {
    const [mine, other] = [newAgent(), newAgent()]
    const database = await makeDatabase()
    const store = await openStoreFor(database)
    const [ours, rest] = [recorder(), recorder()]
    for (const agent of [mine, other]) await commitJobs(store, keyOf("c", { agent }), [jobOf(agent, keyOf("c", { agent }))])
    await store.jobs.start({ work: ours.handler }, { agent: mine })
    await store.jobs.idle()
    expect(ours.done).toEqual([mine])
    await store.jobs.start({ work: rest.handler })
    await store.jobs.idle()
    expect([ours.done, rest.done]).toEqual([[mine], [other]])
  })

  test("closing waits for what runs, and gives back what takes too long without counting the try", async () => {
    const agent = newAgent()
    const [first, second] = await Promise.all([openStoreFor(url), openStoreFor(url)])
    const [quick, slow] = [keyOf("quick", { agent }), keyOf("slow", { agent })]
    const [started, release] = [gate(), gate()]
    const reasons: unknown[] = []
    let toStart = 2
    const handler: JobHandler = async ({ id }, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(id))
      toStart -= 1
      if (toStart === 0) started.resolve()
      await (id === "quick" ? release.promise : new Promise(() => undefined))
    }
    await first.jobs.start({ work: handler }, { agent })
    await commitJobs(first, quick, [jobOf("quick", quick)])
    await commitJobs(first, slow, [jobOf("slow", slow)])
    await started.promise
    release.resolve()
    await first.jobs.close({ drainMs: 300 })
    expect(reasons).toEqual(["slow"])
    const tries: string[] = []
    await second.jobs.start({ work: async ({ id }, { attempt }) => void tries.push(`${id} ${attempt}`) }, { agent })
    await second.jobs.idle()
    expect(tries).toEqual(["slow 1"])
  })

  test("a try that takes too long is aborted and the next one may do better", async () => {
    const agent = newAgent()
    const store = await openStoreFor(url, { jobs: { timeoutMs: 50 } })
    const key = keyOf("c", { agent })
    const tries: string[] = []
    const { promise: finished, resolve } = gate()
    await store.jobs.start(
      {
        work: async (_, { attempt, signal }) => {
          if (attempt === 1) await new Promise((stop) => signal.addEventListener("abort", () => stop(tries.push("aborted"))))
          else resolve(void tries.push("done"))
        },
      },
      { agent },
    )
    await commitJobs(store, key, [jobOf("a", key)])
    await finished
    expect(tries).toEqual(["aborted", "done"])
  })

  test("without notifications a poll finds what was committed elsewhere", async () => {
    const agent = newAgent()
    const [web, worker] = await Promise.all([openStoreFor(url), openStoreFor(url, { jobs: { listen: false, pollMs: 20 } })])
    const key = keyOf("c", { agent })
    const { promise, resolve } = gate()
    await worker.jobs.start({ work: async () => resolve() }, { agent })
    await commitJobs(web, key, [jobOf("a", key)])
    await promise
  })

  test("a listening connection that was cut comes back by itself", async () => {
    const database = await makeDatabase()
    const agent = newAgent()
    const [web, worker] = await Promise.all([openStoreFor(database), openStoreFor(database, { random: () => 0 })])
    const key = keyOf("c", { agent })
    const { done, handler } = recorder()
    await worker.jobs.start({ work: handler }, { agent })
    const listeners = "select pid from pg_stat_activity where datname = current_database() and query like 'listen %'"
    const pids = async () => (await query<{ pid: number }>(database, listeners)).map(({ pid }) => pid)
    await expect.poll(pids).toHaveLength(1)
    const [cut] = await pids()
    await query(database, "select pg_terminate_backend($1)", [cut])
    await expect.poll(async () => (await pids()).filter((pid) => pid !== cut)).toHaveLength(1)
    await commitJobs(web, key, [jobOf("a", key)])
    await expect.poll(() => done).toEqual(["a"])
  })
})
