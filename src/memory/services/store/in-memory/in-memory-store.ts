import { checkOptions } from "../../../../core/check-options.ts"
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
  let isClosed = false
  const runner = runnerOfOpenStore(jobRunner, { store: "The store in memory", isClosed: () => isClosed })
  // What a caller may change later is copied before the first wait.
  return withCheckedArguments({
    load: async (key, { last } = {}) => (kept ?? (await table())).load(key, last),
    async commit(key, given) {
      const commit = copyOf(given)
      const version =
        given.after === undefined && given.receipts === undefined
          ? await (kept ?? (await table())).commit(key, commit)
          : await (made ?? (await parts())).commitBehind(key, commit)
      if (commit.jobs.length > 0) (loadedJobs ? makeJobs(loadedJobs) : await loadTable()).enqueue(commit.jobs)
      return { version }
    },
    async append(key, given) {
      const messages = frozenJson(given, "messages", -1)
      return (kept ?? (await table())).append(key, messages)
    },
    async post(key, given) {
      const note = frozenJson(given, "note")
      return (kept ?? (await table())).post(key, note)
    },
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

function copyOf(given: SessionCommit): SessionCommit {
  const append = frozenJson(given.append, "append", -1)
  const [state, jobs] = [frozenJson(given.state, "state"), frozenJson(given.jobs, "jobs")]
  const receipts = frozenJson(given.receipts ?? [], "receipts")
  return { ...given, append, state, jobs, taken: [...(given.taken ?? [])], receipts }
}

/** Copies plain JSON, which errors call by a name. */
const json =
  (name: string) =>
  <T>(given: T): T =>
    frozenJson(given, name)
const copiedBytes = (given: Uint8Array) => (given instanceof Uint8Array ? new Uint8Array(given) : given)
const copiedVectors = (given: readonly StoredVector[]) =>
  given.map((vector) => ({ ...vector, values: Float32Array.from(vector.values) }))
