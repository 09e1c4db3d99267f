import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RunnerTask, RunnerTestCase, RunnerTestFile } from "vitest"
import type { Mutant } from "./mutants.ts"
import {
  addFinder,
  appendCoverage,
  appendOutcome,
  type CoverageRow,
  type Finders,
  type Job,
  jobsOf,
  type Outcome,
  type OutcomeRow,
  type Plan,
  readRows,
} from "./plan.ts"

/** The switches: which mutant is on, and which ones were asked for. */
export interface Switches {
  active: string | undefined
  hits: Set<string> | undefined
}

/** Says which test file to run next, and gets it after its run. */
export interface Work {
  next(): Job | undefined
  begins(test: RunnerTestCase): void
  ends(test: RunnerTestCase): void
  sees(file: RunnerTestFile): void
}

/** What a worker process does at the moment, for the process that watches over it. */
export interface WorkerState {
  readonly pid: number
  readonly id: string | undefined
  readonly file: string
  readonly at: number
  readonly limitMs: number
}

/** A test that runs longer than this and twenty times what it takes without a mutant waits for ever. */
export const hangMs = 20_000

const testsOf = (task: RunnerTask): readonly RunnerTestCase[] => (task.type === "test" ? [task] : task.tasks.flatMap(testsOf))

export function nameOf(task: RunnerTask): string {
  return task.suite ? `${nameOf(task.suite)} > ${task.name}` : task.name
}

/** The failed tests, and the suites and files that failed outside of a test. */
function failures(task: RunnerTask): readonly RunnerTask[] {
  const inner = task.type === "test" ? [] : task.tasks.flatMap(failures)
  return task.result?.state === "fail" && inner.length === 0 ? [task] : inner
}

export function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12)
}

/** The CPU time of this process so far. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

/** Runs test files without a mutant, and writes down which switches each test passes. */
export function coverageWork(plan: Plan, switches: Switches, forgetModules: () => void): Work {
  const files = [...plan.files]
  let file = ""
  let load = new Set<string>()
  let tests: CoverageRow["tests"][number][] = []
  let cpuStart = 0
  return {
    next() {
      const next = files.shift()
      if (next === undefined) return undefined
      file = next
      load = new Set()
      tests = []
      switches.hits = load
      forgetModules()
      return { file, tests: undefined, ms: 60_000, cpuMs: 0 }
    },
    begins() {
      switches.hits = new Set()
      cpuStart = cpuSeconds()
    },
    ends(test) {
      const cpuMs = Math.ceil(1000 * (cpuSeconds() - cpuStart))
      tests.push({ name: nameOf(test), ms: Math.ceil(test.result?.duration ?? 0), cpuMs, hits: [...(switches.hits ?? [])] })
      switches.hits = load
    },
    sees(ran) {
      const failed = [...new Set(failures(ran).flatMap(testsOf).map(nameOf))]
      appendCoverage(plan, { file, hash: hashOf(join(plan.root, file)), load: [...load], tests, failed })
    },
  }
}

/** Switches on one mutant after the other, and runs the tests that reach it until one fails. */
export function mutantWork(plan: Plan, switches: Switches, forgetModules: () => void): Work {
  const ids = [...plan.pending]
  const coverage = readRows<CoverageRow>(join(plan.folder, "coverage.jsonl"))
  const byId = new Map(plan.mutants.map((mutant) => [mutant.id, mutant]))
  const finders: Finders = new Map()
  for (const row of readRows<OutcomeRow>(join(plan.folder, "outcomes.jsonl"))) addFinder(finders, row, row.by)
  let mutant: Mutant | undefined
  let jobs: Job[] = []
  let [total, asked, cpuStart] = [0, 0, 0]
  /** The failed test that has to pass without the mutant. */
  let doubt: { readonly job: Job; readonly by: string; readonly outcome: Outcome } | undefined
  const end = (outcome: Outcome, by: string): void => {
    if (mutant) {
      appendOutcome(plan, mutant, outcome, by)
      addFinder(finders, mutant, by)
    }
    mutant = undefined
  }
  const begin = (): boolean => {
    mutant = byId.get(ids.shift() ?? "")
    if (mutant === undefined) return false
    const all = jobsOf(mutant, coverage, { whole: plan.whole, finders })
    jobs = all.filter(({ cpuMs }) => cpuMs < 2000 * plan.effortSeconds)
    ;[total, asked, cpuStart] = [all.length, 0, cpuSeconds()]
    switches.active = mutant.id
    forgetModules()
    return true
  }
  return {
    next() {
      if (doubt) return doubt.job
      for (;;) {
        // A process that has loaded the modules often grows: the next one begins afresh.
        if (mutant === undefined && (process.memoryUsage().rss > 2_500_000_000 || !begin())) return undefined
        const isSpent = cpuSeconds() - cpuStart > plan.effortSeconds
        if (jobs[0] && !isSpent) return jobs[0]
        if (total === 0) end("unreached", "no test")
        else end("survived", `${asked} of ${total} test files`)
      }
    },
    begins() {},
    ends() {},
    sees(ran) {
      const [failed] = failures(ran)
      if (doubt) {
        const { by, outcome } = doubt
        doubt = undefined
        if (!failed) return end(outcome, by)
        end("unsure", `${by} fails without the mutant`)
        ids.length = 0
        return
      }
      const job = jobs.shift()
      asked += 1
      if (!failed || !job) return
      const name = failed.type === "test" ? nameOf(failed) : undefined
      const isHang = failed.result?.errors?.some(({ message }) => / timed out in \d+ms/.test(message))
      doubt = {
        job: name === undefined ? job : { ...job, tests: [name] },
        by: `${job.file} > ${name ?? "file"}`,
        outcome: isHang ? "timeout" : "killed",
      }
      switches.active = undefined
      forgetModules()
    },
  }
}

/** Tells the watching process what runs now. */
export function tellState({ stateFile }: Plan, id: string | undefined, { file, ms }: Job): void {
  const state: WorkerState = { pid: process.pid, id, file, at: Date.now(), limitMs: 60_000 + 20 * ms }
  writeFileSync(stateFile, JSON.stringify(state))
}
