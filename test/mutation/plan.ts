import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Mutant } from "./mutants.ts"

/** What became of a mutant: the first three are found by a test. A test that also fails without it leaves it unsure. */
export type Outcome = "killed" | "timeout" | "crashed" | "survived" | "unreached" | "unsure"

export interface OutcomeRow {
  readonly id: string
  /** The hash of the source file in which it was tried. */
  readonly hash: string
  readonly outcome: Outcome
  readonly file: string
  readonly line: number
  readonly change: string
  /** The test that found it, as `file > name`; for a survivor, how many of the files that reach it ran. */
  readonly by: string
}

interface TestRun {
  readonly name: string
  /** By the clock: on a busy machine many times the work. */
  readonly ms: number
  readonly cpuMs: number
  readonly hits: readonly string[]
}

/** A test file's run without a mutant: which switches its tests passed. */
export interface CoverageRow {
  readonly file: string
  readonly hash: string
  /** Passed outside of any test. */
  readonly load: readonly string[]
  readonly tests: readonly TestRun[]
  /** Tests that fail without any mutant; they are not asked. */
  readonly failed: readonly string[]
}

/** A test file to run for a mutant, and its tests that can see it; `undefined` means all. */
export interface Job {
  readonly file: string
  readonly tests: readonly string[] | undefined
  readonly ms: number
  /** About the CPU time, that of programs which the tests start included. */
  readonly cpuMs: number
}

/** All that a worker process needs to know. */
export interface Plan {
  readonly root: string
  /** Holds what is known so far. */
  readonly folder: string
  /** Names the switches: the mutants, and the sources as they are. */
  readonly switches: string
  /** The worker process writes there what it does. */
  readonly stateFile: string
  /** All mutants that have switches. */
  readonly mutants: readonly Mutant[]
  /** The ids to try, in order, and the files' hashes; empty while coverage is collected. */
  readonly pending: readonly string[]
  readonly hashes: Readonly<Record<string, string>>
  /** Test files whose coverage is wanted. */
  readonly files: readonly string[]
  /** No more files are run for a mutant after so many seconds of CPU time. */
  readonly effortSeconds: number
  /** Runs whole test files, not only the tests that passed the switch. */
  readonly whole: boolean
}

/** The plan of this worker process. */
export function ownPlan(): Plan {
  return JSON.parse(readFileSync(process.env.MUTATION_PLAN as string, "utf8")) as Plan
}

export function readRows<T>(file: string): readonly T[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").split("\n")
  return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as T)
}

export function appendCoverage(plan: Plan, row: CoverageRow): void {
  appendFileSync(join(plan.folder, "coverage.jsonl"), `${JSON.stringify(row)}\n`)
}

export function appendOutcome(plan: Plan, mutant: Mutant, outcome: Outcome, by: string): void {
  const { id, file, line, start, end, text } = mutant
  const from = readFileSync(join(plan.root, file), "utf8").slice(start, end)
  const change = `${from} → ${text}`.replaceAll(/\s+/g, " ")
  const row: OutcomeRow = { outcome, file, line, change, by, id, hash: plan.hashes[file] ?? "" }
  appendFileSync(join(plan.folder, "outcomes.jsonl"), `${JSON.stringify(row)}\n`)
}

/** How many mutants of a room each test file has found. */
export type Finders = Map<string, number>

/** Remembers the test file that found a mutant. `by` is {@link OutcomeRow.by}. */
export function addFinder(finders: Finders, { file }: Pick<Mutant, "file">, by: string): void {
  const finder = `${roomOf(file)} ${by.split(" > ")[0]}`
  finders.set(finder, (finders.get(finder) ?? 0) + 1)
}

const roomOf = (file: string): string => file.split("/").slice(0, -1).join("/")

/** The test files to run for a mutant: first those that are near, fast, and have found others of its folder. */
export function jobsOf(
  mutant: Mutant,
  coverage: readonly CoverageRow[],
  { whole, finders }: { readonly whole: boolean; readonly finders: Finders },
): readonly Job[] {
  const jobs: Job[] = []
  for (const { file, load, tests, failed } of coverage) {
    const seeing = tests.filter(({ name, hits }) => hits.includes(mutant.id) && !failed.includes(name))
    const isLoaded = load.includes(mutant.id)
    if (seeing.length === 0 && !isLoaded) continue
    const all = whole || isLoaded || mutant.isStatic
    const run = (all ? tests : seeing).filter(({ name }) => !failed.includes(name))
    const ms = run.reduce((sum, test) => sum + test.ms, 20)
    // A test that starts programs waits for their CPU time.
    const cpuMs = run.reduce((sum, test) => sum + Math.max(test.cpuMs, test.ms / 10), 20)
    jobs.push({ file, tests: all && failed.length === 0 ? undefined : run.map(({ name }) => name), ms, cpuMs })
  }
  const found = ({ file }: Job): number => finders.get(`${roomOf(mutant.file)} ${file}`) ?? 0
  return jobs.sort((a, b) => cost(mutant.file, a) / (1 + found(a)) - cost(mutant.file, b) / (1 + found(b)))
}

/** A job's CPU time, made smaller for each folder that the test shares with the source. */
function cost(source: string, { file, cpuMs }: Job): number {
  const [from, to] = [source.replace(/\.ts$/, "").split("/"), file.replace(/(\.[\w-]+)?\.test\.ts$/, "").split("/")]
  let shared = 1
  while (shared < from.length && from[shared] === to[shared]) shared++
  return cpuMs / 5 ** shared
}

/** The folder of what the tests of `recorded/` saw without a mutant. */
export function recordFolder(folder: string): string {
  return join(folder, "recorded")
}
