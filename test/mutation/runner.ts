import { join } from "node:path"
import type { RunnerTask, RunnerTestCase, RunnerTestFile } from "vitest"
import { TestRunner } from "vitest"
import { type Job, ownPlan } from "./plan.ts"
import { coverageWork, hangMs, mutantWork, nameOf, type Switches, tellState, type Work } from "./work.ts"

/** The part of vitest's state in a worker that is used here. Vitest runs what is added to `ctx.files` after the file under way. */
interface VitestState {
  readonly ctx: { readonly files: { readonly filepath: string }[] }
  readonly evaluatedModules: { readonly idToModuleMap: Map<string, { readonly id: string; importers: Set<string> }> }
}

declare global {
  var __mutant: (id: string) => boolean
  var __vitest_worker__: VitestState
}

const plan = ownPlan()
const isCovering = plan.files.length > 0

const switches: Switches = { active: undefined, hits: undefined }
globalThis.__mutant = (id) => {
  switches.hits?.add(id)
  return id === switches.active
}

/** Lets the next import of a source or a test evaluate it again. */
function forgetModules(): void {
  for (const [id, node] of globalThis.__vitest_worker__.evaluatedModules.idToModuleMap) {
    if (!id.startsWith(plan.root) || id.includes("/node_modules/") || id.includes("/test/mutation/")) continue
    Object.assign(node, { promise: undefined, exports: undefined, evaluated: false })
    node.importers.clear()
  }
}

const work: Work = (isCovering ? coverageWork : mutantWork)(plan, switches, forgetModules)

/** Vitest's own runner for one file after the other in one warm process: modules are transformed once for all mutants. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default class MutationRunner extends TestRunner {
  private job: Job | undefined

  onBeforeCollect(): void {
    // The reporting process is told nothing: it knows the first file only, and a file that runs again would confuse it.
    const silent = { onTaskUpdate: undefined, onCollectStart: super.onCollectStart, onCollected: undefined }
    if (this.job) Object.assign(this, silent)
    this.cancelRest(false)
    this.config.testTimeout = hangMs + 20 * (this.job?.ms ?? 0)
    this.config.hookTimeout = this.config.testTimeout
  }

  onBeforeRunFiles(files: RunnerTestFile[]): void {
    const wanted = this.job?.tests && new Set(this.job.tests)
    const choose = (task: RunnerTask): void => {
      if (task.type === "suite") for (const inner of task.tasks) choose(inner)
      else if (!wanted?.has(nameOf(task))) task.mode = "skip"
    }
    if (wanted) for (const file of files) choose(file)
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test)
    if (this.job) work.begins(test)
  }

  override onAfterRunTask(test: RunnerTestCase): void {
    super.onAfterRunTask(test)
    if (!this.job) return
    work.ends(test)
    if (test.result?.state === "fail" && !isCovering) this.cancelRest(true)
  }

  /** Vitest declares the member private. */
  private cancelRest(cancelRun: boolean): void {
    Object.assign(this, { cancelRun })
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    super.onAfterRunFiles(files)
    const [file] = files
    if (this.job && file) work.sees(file)
    this.job = work.next()
    if (this.job === undefined) return
    tellState(plan, switches.active, this.job)
    globalThis.__vitest_worker__.ctx.files.push({ filepath: join(plan.root, this.job.file) })
  }
}
