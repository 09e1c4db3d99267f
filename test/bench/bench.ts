/** A row of a table, by column. */
export type Row = Readonly<Record<string, string | number>>

/** Something deterministic that must hold: work done or growth, never clock time. */
export interface Gate {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** What a `*.bench.ts` file's `run` hands back. */
export interface BenchResult {
  readonly title: string
  readonly rows: readonly Row[]
  readonly gates: readonly Gate[]
  /** What a reader must know of the table, such as who was skipped. */
  readonly notes?: readonly string[]
}

/** With `peers` false only gates are wanted: nothing of test/bench/node_modules may be imported. */
export interface BenchOptions {
  readonly peers: boolean
  /** True when what a bench keeps in a page of the documentation is to be written. */
  readonly write?: boolean
}

/** The shape of a `*.bench.ts` module. */
export interface Bench {
  run(options: BenchOptions): Promise<BenchResult>
}
