import { PromptStrataError } from "../../core/errors.ts"
import { hostTimers } from "../../core/host-timers.ts"
import type { RandomSource, Timers } from "../../core/ports.ts"
import { defaultJobSettings, type JobSettings } from "../../services/store/job-runner.ts"

/** How background jobs are run, beside what every runner can be told. */
export interface PostgresJobOptions extends Partial<JobSettings> {
  /** How often to look for jobs that nobody was woken for. Default: 2,000. */
  readonly pollMs?: number
  /** How often to look for jobs whose process died, in whole seconds. Default: 10. */
  readonly superviseSeconds?: number
  /** Waits on a connection of its own to be told of jobs at once; false behind a pooler that hands out connections by transaction. Default: true. */
  readonly listen?: boolean
}

/** What a store on PostgreSQL is opened with. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with `pg`'s parameters such as `?sslmode=require`. */
  readonly url: string
  /** Connections of this process, apart from one that listens for jobs. Default: 10; at least 2. */
  readonly maxConnections?: number
  /** A connection that takes longer to be made is an error. Default: 10,000. */
  readonly connectTimeoutMs?: number
  /** The schema that pg-boss keeps its tables in. Default: `pgboss`. */
  readonly jobSchema?: string
  readonly jobs?: PostgresJobOptions
  /** Told of what goes wrong behind the scenes: a lost connection, a job that failed. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  readonly timers?: Timers
  readonly random?: RandomSource
}

/** The options with their defaults. */
export type PostgresSettings = Required<Omit<PostgresStoreOptions, "jobs">> & { readonly jobs: Required<PostgresJobOptions> }

/** Fills in the defaults; throws `usage` for options that cannot be. */
export function postgresSettings({ jobs, ...options }: PostgresStoreOptions): PostgresSettings {
  const settings: PostgresSettings = {
    maxConnections: 10,
    connectTimeoutMs: 10_000,
    jobSchema: "pgboss",
    onWarning: (message) => console.warn(`promptstrata: ${message}`),
    timers: hostTimers,
    random: Math.random,
    ...options,
    jobs: { ...defaultJobSettings, pollMs: 2_000, superviseSeconds: 10, listen: true, ...jobs },
  }
  check(settings)
  return settings
}

function check({ maxConnections, jobSchema }: PostgresSettings): void {
  if (!(maxConnections >= 2))
    throw new PromptStrataError("usage", `Expected maxConnections of at least 2, found ${maxConnections}.`)
  // It stands in statements as it is.
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(jobSchema))
    throw new PromptStrataError(
      "usage",
      `Expected jobSchema of small letters, digits and _, at most 40, found ${JSON.stringify(jobSchema)}.`,
    )
}
