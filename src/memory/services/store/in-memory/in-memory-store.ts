import { checkOptions } from "../../../../core/check-options.ts"
import { hostPorts, type Ports } from "../../../../core/ports.ts"
import { frozenJson } from "../frozen-json.ts"
import { defaultJobSettings, type JobRunner, type JobSettings } from "../job-runner.ts"
import type { MemoryRecords, ReceiptRecords, UserRecords } from "../records.ts"
import { runnerOfOpenStore, type Store } from "../store.ts"
import type { Tables } from "./in-memory-tables.ts"
import type { MemoryTable } from "./memory-table.ts"
import { SessionTable } from "./session-table.ts"

/** Options of {@link createInMemoryStore}. */
export interface InMemoryStoreOptions {
  readonly jobs?: Partial<JobSettings>
  /** The clock, timers and randomness for the waits between attempts; tests set them. */
  readonly ports?: Partial<Pick<Ports, "clock" | "timers" | "random">>
}

/** All ports, because a program may keep its own in one object. */
const portNames = { ...hostPorts, counter: true }

/** Loaded when first used: few programs keep pictures, set words aside, export or forget, and all of them load this file. */
const loadRare = () => import("./rare-work.ts")

/** The time that `close` waits for running jobs. */
const drainMs = 5_000

/**
 * Creates an empty {@link Store} that lives as long as the process. It copies what it is given and returns frozen data, so nothing that
 * a caller holds ever changes. A value that is not plain JSON throws `usage`, because a database could not keep it.
 */
export function createInMemoryStore(options: InMemoryStoreOptions = {}): Store {
  const { jobs, ports } = options
  checkOptions("createInMemoryStore", options, { jobs: true, ports: true })
  checkOptions("jobs of createInMemoryStore", jobs ?? {}, defaultJobSettings)
  checkOptions("ports of createInMemoryStore", ports ?? {}, portNames)
  const sessions = new SessionTable()
  const settings = { ...defaultJobSettings, ...jobs }
  let made: Omit<Tables, "memories"> | undefined
  // Loaded when first used: a turn that leaves no work behind needs the sessions alone.
  const tables = async (): Promise<Omit<Tables, "memories">> => {
    if (made) return made
    const { emptyTables } = await import("./in-memory-tables.ts")
    made ??= emptyTables(sessions, settings, { ...hostPorts, ...ports })
    return made
  }
  let madeMemories: MemoryTable | undefined
  // Loaded when first used: an agent that remembers nothing has no memories.
  const memories = async (): Promise<MemoryTable> => {
    if (madeMemories) return madeMemories
    const { MemoryTable } = await import("./memory-table.ts")
    madeMemories ??= new MemoryTable(sessions)
    return madeMemories
  }
  const whole = async (): Promise<Tables> => ({ ...(await tables()), memories: await memories() })
  let isClosed = false
  const runner = runnerOfOpenStore(lateJobs(tables), { store: "The store in memory", isClosed: () => isClosed })
  return {
    load: async (key, { last } = {}) => sessions.load(key, last),
    async commit(key, commit) {
      const behind = commit.after === undefined ? undefined : ([await loadRare(), await whole()] as const)
      const committed = behind ? await behind[0].commitBehind(behind[1], key, { commit, runner }) : sessions.commit(key, commit)
      if (committed.jobs.length > 0) (made ?? (await tables())).jobs.enqueue(committed.jobs)
      return { version: committed.version }
    },
    append: async (key, messages) => sessions.append(key, messages),
    post: async (key, note) => sessions.post(key, note),
    messages: async (key, filter) => Object.freeze((await loadRare()).filterMessages(sessions.history(key), filter)),
    branches: async (key) => (await loadRare()).rowTurns(sessions.row(key)),
    jobs: runner,
    memories: memoryRecords(memories, whole, runner),
    users: lateUsers(tables),
    receipts: lateReceipts(tables),
    blobs: {
      async put(given, key) {
        // Copied before the wait, during which the caller may change them.
        const bytes = given instanceof Uint8Array ? new Uint8Array(given) : given
        return (await loadRare()).blobRecords(await tables()).put(bytes, key)
      },
      get: async (id, key) => (await loadRare()).blobRecords(await tables()).get(id, key),
    },
    async *export(scope) {
      const { exportRows } = await loadRare()
      for (const row of exportRows(await whole(), scope)) yield JSON.stringify(row)
    },
    async import(lines) {
      const { importRows, readStoreRows } = await loadRare()
      return importRows(await whole(), await readStoreRows(lines))
    },
    async forget(scope) {
      const { forgetRows, tellForgotten } = await loadRare()
      const report = forgetRows(await whole(), scope)
      await tellForgotten(runner, scope)
      return report
    },
    async check() {
      const { checkTables } = await loadRare()
      return checkTables(await whole())
    },
    async close() {
      await made?.jobs.close({ drainMs })
      isClosed = true
    },
  }
}

/** The records of a table that is loaded with the first call. What a caller may change during that wait is copied before. */
function memoryRecords(table: () => Promise<MemoryTable>, whole: () => Promise<Tables>, runner: JobRunner): MemoryRecords {
  return {
    async forget(ids, options) {
      const { forgetById, tellForgotten } = await loadRare()
      const forgotten = forgetById(await whole(), ids, options)
      const { agent, user } = options.key
      if (forgotten.memories > 0) await tellForgotten(runner, { agent, user, memories: true })
      return forgotten
    },
    async put(given, options) {
      const memory = frozenJson(given, "memory")
      return (await table()).put(memory, options)
    },
    async putVectors(given, key) {
      const vectors = given.map((vector) => ({ ...vector, values: Float32Array.from(vector.values) }))
      return (await table()).putVectors(vectors, key)
    },
    markUsed: async (...used) => (await table()).markUsed(...used),
    get: async (...asked) => (await table()).get(...asked),
    changes: async (...asked) => (await table()).changes(...asked),
    recent: async (...asked) => (await table()).recent(...asked),
    vectors: async (...asked) => (await table()).vectors(...asked),
    withoutVector: async (...asked) => (await table()).withoutVector(...asked),
  }
}

/** A runner that is loaded with its first call. */
export function lateJobs(tables: () => Promise<{ readonly jobs: JobRunner }>): JobRunner {
  return {
    start: async (...given) => (await tables()).jobs.start(...given),
    idle: async (...given) => (await tables()).jobs.idle(...given),
    close: async (...given) => (await tables()).jobs.close(...given),
    dead: async () => (await tables()).jobs.dead(),
  }
}

/** Receipts whose table is loaded with the first call. What a caller may change during that wait is copied before. */
export function lateReceipts(tables: () => Promise<{ readonly receipts: ReceiptRecords }>): ReceiptRecords {
  return {
    async put(given, options) {
      const receipt = frozenJson(given, "receipt")
      return (await tables()).receipts.put(receipt, options)
    },
    ofTurn: async (...asked) => (await tables()).receipts.ofTurn(...asked),
    modelCalls: async (...asked) => (await tables()).receipts.modelCalls(...asked),
  }
}

function lateUsers(tables: () => Promise<{ readonly users: UserRecords }>): UserRecords {
  return {
    async append(given, options) {
      const statements = frozenJson(given, "statements")
      return (await tables()).users.append(statements, options)
    },
    load: async (key) => (await tables()).users.load(key),
  }
}
