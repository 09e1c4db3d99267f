import type { Reporter, TestModule } from "vitest/node"

const lookMs = 60_000

/** Names the test files that have run for `afterMs` without an end, once each: a worker that hangs prints nothing by itself. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default class HungFiles implements Reporter {
  readonly #begun = new Map<string, number>()
  readonly #afterMs: number
  readonly #print: (line: string) => void
  #timer: NodeJS.Timeout | undefined

  /** Vitest itself gives empty options. */
  constructor({
    afterMs = 10 * 60_000,
    print = console.error,
  }: { readonly afterMs?: number; readonly print?: (line: string) => void } = {}) {
    this.#afterMs = afterMs
    this.#print = print
  }

  onTestRunStart(): void {
    this.#timer = setInterval(() => this.#look(), lookMs).unref()
  }

  onTestModuleStart({ moduleId }: Pick<TestModule, "moduleId">): void {
    this.#begun.set(moduleId, Date.now())
  }

  onTestModuleEnd({ moduleId }: Pick<TestModule, "moduleId">): void {
    this.#begun.delete(moduleId)
  }

  onTestRunEnd(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    for (const [file, begunMs] of this.#begun) {
      if (Date.now() - begunMs < this.#afterMs) continue
      this.#print(`Still running after ${this.#afterMs / 60_000} minutes: ${file}`)
      this.#begun.delete(file)
    }
  }
}
