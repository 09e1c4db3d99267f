import { checkOptions } from "../../../../core/check-options.ts"
import type { SessionKey } from "../../../../core/conversation.ts"
import { lateMethods } from "../../../../core/late.ts"
import { hostPorts, type Ports } from "../../../../core/ports.ts"
import { defined } from "../../../../core/value.ts"
import { loadMemories } from "../../load-memories.ts"
import { frozenJson } from "../frozen-json.ts"
import { defaultJobSettings, type JobHandlers, type JobRunner, type JobSettings } from "../job-runner.ts"
import type { StoredVector } from "../records.ts"
import type { SessionCommit } from "../session-store.ts"
import { runnerOfOpenStore, type Store, withCheckedArguments } from "../store.ts"
import type { InMemoryParts } from "./in-memory-parts.ts"
import type { JobTable } from "./job-table.ts"
import type { SessionTable } from "./session-table.ts"

/** Options of {@link createInMemoryStore}. */
export interface InMemoryStoreOptions {
  readonly jobs?: Partial<JobSettings>
  /** The clock, timers and randomness for the waits between attempts; tests set them. */
  readonly ports?: Partial<Pick<Ports, "clock" | "timers" | "random">>
}

/** All ports, because a program may keep its own in one object. */
const portNames = { ...hostPorts, counter: true }

/** Loaded with the first session of a store in memory. */
let loaded: typeof import("./session-table.ts") | undefined
/** Loaded with the first job, and with what needs more than sessions. */
let loadedJobs: typeof import("./job-table.ts") | undefined

type SessionWork<Given, T> = (sessions: SessionTable, given: Given) => T

const same = <T>(given: T): T => given
const copyOf = (commit: SessionCommit): SessionCommit => {
  const append = frozenJson(commit.append, "append", -1)
  const copied = { append, state: frozenJson(commit.state, "state"), jobs: frozenJson(commit.jobs, "jobs") }
  return { ...commit, ...copied, receipts: frozenJson(commit.receipts ?? [], "receipts") }
}

/** The time that `close` waits for running jobs. */
const drainMs = 5_000

/**
 * Creates an empty {@link Store} that lives as long as the process. It copies what it is given and returns frozen data, so nothing that
 * a caller holds ever changes. A value that is not plain JSON throws `usage`, because a database could not keep it.
 */
export function createInMemoryStore(options: InMemoryStoreOptions = {}): Store {
  checkOptions("createInMemoryStore", options, { jobs: true, ports: true })
  const { jobs, ports } = options
  checkOptions("jobs of createInMemoryStore", jobs ?? {}, defaultJobSettings)
  checkOptions("ports of createInMemoryStore", ports ?? {}, portNames)
  let kept = loaded && new loaded.SessionTable()
  const table = async (): Promise<SessionTable> => {
    loaded ??= await import("./session-table.ts")
    kept ??= new loaded.SessionTable()
    return kept
  }
  let jobTable: JobTable | undefined
  /** By agent, the handlers for jobs. There is no table before there is a job: many agents never have one. */
  const handlers = new Map<string | undefined, JobHandlers>()
  const makeJobs = ({ JobTable }: NonNullable<typeof loadedJobs>): JobTable => {
    if (jobTable) return jobTable
    jobTable = new JobTable({ ...defaultJobSettings, ...jobs }, { ...hostPorts, ...ports })
    for (const [agent, own] of handlers) void jobTable.start(own, defined({ agent }))
    return jobTable
  }
  const loadTable = async (): Promise<JobTable> => {
    loadedJobs ??= await import("./job-table.ts")
    return makeJobs(loadedJobs)
  }
  const jobRunner: JobRunner = {
    async start(own, options = {}) {
      handlers.set(options.agent, own)
      await jobTable?.start(own, options)
    },
    idle: async (options) => jobTable?.idle(options),
    async close(options) {
      if (options.agent === undefined) handlers.clear()
      else handlers.delete(options.agent)
      await jobTable?.close(options)
    },
    dead: async () => (await jobTable?.dead()) ?? [],
  }
  /** Runs work on the sessions, at once if they are loaded. What a caller may change during that wait is copied before. */
  const own = async <Given, T>(given: Given, copy: (given: Given) => Given, work: SessionWork<Given, T>): Promise<T> => {
    const copied = kept ? given : copy(given)
    const sessions = kept ?? (await table())
    return sessions.rows.atOnce(() => work(sessions, copied))
  }
  let made: InMemoryParts | undefined
  // Loaded when first used: a turn that leaves no work behind needs the sessions alone.
  const parts = async (): Promise<InMemoryParts> => {
    if (made) return made
    const { makeParts } = await loadMemories()
    const [sessions, jobs] = [await table(), await loadTable()]
    sessions.rows.jobs = jobs
    made ??= makeParts(sessions, { runner, jobs })
    return made
  }
  const wakes = async () => (await parts()).wakes
  const memories = async () => (await parts()).memories
  const users = async () => (await parts()).users
  const receipts = async () => (await parts()).receipts
  const blobs = async () => (await parts()).blobs
  const commitBehind = async (key: SessionKey, given: SessionCommit) => {
    const commit = made ? given : copyOf(given)
    return (made ?? (await parts())).commitBehind(key, commit)
  }
  let isClosed = false
  const runner = runnerOfOpenStore(jobRunner, { store: "The store in memory", isClosed: () => isClosed })
  return withCheckedArguments({
    load: (key, { last } = {}) => own(key, same, (sessions) => sessions.load(key, last)),
    async commit(key, given) {
      const committed =
        given.after === undefined && given.receipts === undefined
          ? await own(given, copyOf, (sessions, commit) => sessions.commit(key, commit))
          : await commitBehind(key, given)
      if (committed.jobs.length > 0) (loadedJobs ? makeJobs(loadedJobs) : await loadTable()).enqueue(committed.jobs)
      return { version: committed.version }
    },
    append: (key, given) => own(given, json("messages", -1), (sessions, messages) => sessions.append(key, messages)),
    post: (key, given) => own(given, json("note"), (sessions, note) => sessions.post(key, note)),
    ...lateMethods(parts, "messages branches conversations import forget check"),
    jobs: runner,
    wakes: { ...lateMethods(wakes, "put", json("job")), ...lateMethods(wakes, "list delete") },
    memories: {
      ...lateMethods(memories, "put", json("memory")),
      ...lateMethods(memories, "putVectors", copiedVectors),
      ...lateMethods(memories, "forget markUsed get changes recent vectors withoutVector"),
    },
    users: { ...lateMethods(users, "append", json("statements")), ...lateMethods(users, "load") },
    receipts: {
      ...lateMethods(receipts, "put", json("receipt")),
      ...lateMethods(receipts, "putWork ofTurn since"),
    },
    blobs: { ...lateMethods(blobs, "put", copiedBytes), ...lateMethods(blobs, "get") },
    async *export(scope) {
      yield* (await parts()).export(scope)
    },
    async close() {
      await jobTable?.close({ drainMs })
      isClosed = true
    },
  })
}

/** Copies plain JSON, which errors call by a name. */
const json =
  (name: string, markedDepth?: number) =>
  <T>(given: T): T =>
    frozenJson(given, name, markedDepth)
const copiedBytes = (given: Uint8Array) => (given instanceof Uint8Array ? new Uint8Array(given) : given)
const copiedVectors = (given: readonly StoredVector[]) =>
  given.map((vector) => ({ ...vector, values: Float32Array.from(vector.values) }))
