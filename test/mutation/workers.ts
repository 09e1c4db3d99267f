import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { appendOutcome, type Plan } from "./plan.ts"
import type { WorkerState } from "./work.ts"

/** Splits the plan's work between processes and watches over them. `done` names what has a result by now. */
export async function runWorkers(plan: Plan, workers: number, done: () => ReadonlySet<string>): Promise<void> {
  const part = (all: readonly string[], worker: number) => all.filter((_, index) => index % workers === worker)
  const parts = Array.from({ length: workers }, (_, worker) => worker)
  await Promise.all(
    parts.map((worker) =>
      runWorker({ ...plan, files: part(plan.files, worker), pending: part(plan.pending, worker) }, worker, done),
    ),
  )
}

/** Runs one process after the other until all work has a result. A process ends early when it grew too large, or hung. */
async function runWorker(plan: Plan, worker: number, done: () => ReadonlySet<string>): Promise<void> {
  const crashes = new Map<string, number>()
  for (let idle = 0; idle < 3; ) {
    const before = done()
    const left = (all: readonly string[]) => all.filter((item) => !before.has(item))
    const rest = { ...plan, files: left(plan.files), pending: left(plan.pending) }
    if (rest.files.length + rest.pending.length === 0) return
    const { state, hung } = await runProcess(rest, worker)
    const mutant = plan.mutants.find(({ id }) => id === state?.id)
    const isOpen = mutant !== undefined && !done().has(mutant.id)
    if (mutant && isOpen && !hung) crashes.set(mutant.id, (crashes.get(mutant.id) ?? 0) + 1)
    if (mutant && isOpen && hung) appendOutcome(plan, mutant, "timeout", `${state?.file} does not end`)
    else if (mutant && crashes.get(mutant.id) === 2) appendOutcome(plan, mutant, "crashed", `${state?.file} ends the process`)
    idle = done().size > before.size ? 0 : idle + 1
  }
  throw new Error(`expected a worker to come on; see ${join(plan.folder, `worker-${worker}.log`)}`)
}

/** Runs vitest over a plan; ends a test run that takes far longer than without a mutant. */
async function runProcess(plan: Plan, worker: number): Promise<{ state: WorkerState | undefined; hung: boolean }> {
  const [planFile, stateFile] = [join(plan.folder, `plan-${worker}.json`), join(plan.folder, `worker-${worker}.json`)]
  writeFileSync(planFile, JSON.stringify({ ...plan, stateFile }))
  rmSync(stateFile, { force: true })
  const log = openSync(join(plan.folder, `worker-${worker}.log`), "w")
  const env = { ...process.env, CI: "1", MUTATION_PLAN: planFile }
  const vitest = join(plan.root, "node_modules/vitest/vitest.mjs")
  const args = [vitest, "run", "--config", join(import.meta.dirname, "vitest.config.ts")]
  const child = spawn(process.execPath, args, { cwd: plan.root, env, stdio: ["ignore", log, log] })
  const stop = (): void => {
    child.kill()
    endProcess(stateOf(stateFile))
  }
  process.once("exit", stop)
  let hung = false
  while (isRunning(child)) {
    await sleep(500)
    const state = stateOf(stateFile)
    if (hung || state === undefined || Date.now() - state.at < state.limitMs) continue
    hung = true
    endProcess(state)
  }
  process.off("exit", stop)
  closeSync(log)
  return { state: stateOf(stateFile), hung }
}

/** Ends the process that runs the tests, also one in an endless loop. */
function endProcess(state: WorkerState | undefined): void {
  try {
    if (state) process.kill(state.pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

function stateOf(file: string): WorkerState | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as WorkerState
  } catch {
    return undefined
  }
}
