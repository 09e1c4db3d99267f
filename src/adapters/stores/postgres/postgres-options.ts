import { checkOptions } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { hostTimers, type RandomSource, type Timers } from "../../../core/ports.ts"
import { defaultJobSettings, type JobSettings } from "../../../memory/services/store/job-runner.ts"

/** How background jobs are run. */
export interface PostgresJobOptions extends Partial<JobSettings> {
  /** How often to look for jobs, in milliseconds, in case a message was missed. Default: 2,000. */
  readonly pollMs?: number
  /** How often to look for jobs of dead processes, in whole seconds. Default: 10. */
  readonly superviseSeconds?: number
  /**
   * Listens on a connection of its own, so that a job begins at once. Set it to false behind a pooler in transaction mode. Default: true.
   */
  readonly listen?: boolean
}

/** Options of a store on PostgreSQL. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with `pg`'s parameters such as `?sslmode=require`. */
  readonly url: string
  /** The most connections of this process, without the one that listens for jobs. Default: 10; at least 2. */
  readonly maxConnections?: number
  /** How long making a connection may take. Default: 10,000. */
  readonly connectTimeoutMs?: number
  /** The schema of pg-boss' tables: at most 40 small letters, digits and `_`. Default: `pgboss`. */
  readonly jobSchema?: string
  readonly jobs?: PostgresJobOptions
  /** Called with faults of background work: a lost connection, a failed job. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  readonly timers?: Timers
  readonly random?: RandomSource
}

/** The options with their defaults. */
export type PostgresSettings = Required<Omit<PostgresStoreOptions, "jobs">> & { readonly jobs: Required<PostgresJobOptions> }

/** Fills in the defaults. Throws `usage` for a wrong option. */
export function postgresSettings({ jobs, ...options }: PostgresStoreOptions): PostgresSettings {
  const defaultJobs = { ...defaultJobSettings, pollMs: 2_000, superviseSeconds: 10, listen: true }
  const defaults: Omit<PostgresSettings, "url"> = {
    maxConnections: 10,
    connectTimeoutMs: 10_000,
    jobSchema: "pgboss",
    onWarning: (message) => console.warn(`promptstrata: ${message}`),
    timers: hostTimers,
    random: Math.random,
    jobs: { ...defaultJobs, ...jobs },
  }
  checkOptions("openStore", options, { url: true, ...defaults })
  checkOptions("jobs of openStore", jobs ?? {}, defaultJobs)
  const settings: PostgresSettings = { ...defaults, ...options }
  const { maxConnections, jobSchema } = settings
  if (!(maxConnections >= 2))
    throw new PromptStrataError("usage", `Expected maxConnections of at least 2, found ${maxConnections}.`)
  // It is written into statements without quotation marks.
  const message = `Expected jobSchema of small letters, digits and _, at most 40, found ${JSON.stringify(jobSchema)}.`
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(jobSchema)) throw new PromptStrataError("usage", message)
  return settings
}
