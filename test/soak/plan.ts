/** One thing to be done a very large number of times, a round after the other. */
export interface SoakTask {
  /** The count, in words: `kills of a writing process`. */
  readonly name: string
  readonly project: "long" | "long-postgres"
  readonly file: string
  /** Only the tests whose names hold this. */
  readonly tests?: string
  /** The variable of `test/support/size.ts` that sets how much a round does; without it a round is the file at size `soak`. */
  readonly variable?: string
  /** How much one round does: about a minute of work. */
  readonly perRound: number
  /** How much is asked for in all. */
  readonly target: number
}

/** How far a task has come. A round's seed is its number, from 1. */
export interface TaskProgress {
  readonly done: number
  readonly rounds: number
  /** Seeds of rounds that failed. */
  readonly failedSeeds: readonly number[]
}

export type Progress = Readonly<Record<string, TaskProgress>>

const none: TaskProgress = { done: 0, rounds: 0, failedSeeds: [] }

export const progressOf = (progress: Progress, { name }: SoakTask): TaskProgress => progress[name] ?? none

/** A round that is to be run. */
export interface Round {
  readonly task: SoakTask
  readonly seed: number
}

/** The next round: of the task that is furthest from its target, by share; `undefined` once every target is reached. */
export function nextRound(tasks: readonly SoakTask[], progress: Progress): Round | undefined {
  const shareOf = (task: SoakTask) => progressOf(progress, task).done / task.target
  const open = tasks.filter((task) => shareOf(task) < 1).sort((one, other) => shareOf(one) - shareOf(other))
  const [task] = open
  return task && { task, seed: progressOf(progress, task).rounds + 1 }
}

/** The progress after a round. A failed round counts as a round, and what it did does not count. */
export function afterRound(progress: Progress, { task, seed }: Round, hasPassed: boolean): Progress {
  const before = progressOf(progress, task)
  const after: TaskProgress = {
    done: before.done + (hasPassed ? task.perRound : 0),
    rounds: seed,
    failedSeeds: hasPassed ? before.failedSeeds : [...before.failedSeeds, seed],
  }
  return { ...progress, [task.name]: after }
}

/** The figures as a table of Markdown. */
export function tableOf(tasks: readonly SoakTask[], progress: Progress): string {
  const number = (value: number) => value.toLocaleString("en-US")
  const rows = tasks.map((task) => {
    const { done, rounds, failedSeeds } = progressOf(progress, task)
    const seeds = rounds === 0 ? "" : `1–${rounds}`
    const cells = [task.name, number(done), number(task.target), seeds, failedSeeds.join(", ") || "none"]
    return `| ${cells.join(" | ")} |`
  })
  return ["| what | done | asked for | seeds | failed seeds |", "|---|---:|---:|---|---|", ...rows].join("\n")
}

/** What repeats a round: the environment it is run in and the arguments of vitest. */
export function commandOf({ task, seed }: Round): {
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
} {
  const amount: Record<string, string> = task.variable === undefined ? {} : { [task.variable]: String(task.perRound) }
  return {
    env: { TEST_SIZE: "soak", TEST_SEED: String(seed), ...amount },
    args: ["run", "--project", task.project, task.file, ...(task.tests === undefined ? [] : ["-t", task.tests])],
  }
}
