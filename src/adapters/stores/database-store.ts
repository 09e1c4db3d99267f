import type { Clock, RandomSource, Timers } from "../../core/ports.ts"
import type { JobSettings } from "../../memory/services/store/job-runner.ts"
import type { Store } from "../../memory/services/store/store.ts"
import type { DamagedRow } from "./sql/row-body.ts"

/** A store in a database. */
export interface DatabaseStore extends Store {
  /**
   * Moves every row whose body is damaged to a new file, as lines of JSON, and returns these rows with what is lost without them.
   * A damaged state begins anew; everything else of the store stays. Throws `store` if the file cannot be made.
   */
  repair(path: string): Promise<readonly DamagedRow[]>
  /** The ids of the agents that the store has rows of, sorted. */
  agents(): Promise<readonly string[]>
}

/** A store in a file. */
export interface SqliteStore extends DatabaseStore {
  /** The path of the file. */
  readonly file: string
  /** Writes a copy of the store's current state to a new file, while other work goes on. Throws `store` when the file exists. */
  backup(path: string): Promise<void>
}

/** Options of an embedded store. Times are in milliseconds. */
export interface SqliteStoreOptions {
  readonly jobs?: Partial<JobSettings>
  /** How long a write waits for other processes before it fails. Default: 10,000. */
  readonly busyMs?: number
  /** How often to look for jobs that other processes have committed. Default: 1,000. */
  readonly pollMs?: number
  /** After so long without a sign of life, another process takes over the jobs of a process. The same in all processes. Default: 15,000. */
  readonly leaseMs?: number
  /** Called with faults of background work. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  readonly clock?: Clock
  readonly timers?: Timers
  readonly random?: RandomSource
}
