import type { Reporter, TestModule } from "vitest/node"

const lookMs = 60_000

/** Names the test files that have run for `afterMs` without an end, once each: a worker that hangs prints nothing by itself. */
// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default class HungFiles implements Reporter {
  readonly #begun = new Map<string, number>()
  readonly #options: { readonly afterMs: number; readonly print: (line: string) => void }
  #timer: NodeJS.Timeout | undefined

  constructor(options = { afterMs: 10 * 60_000, print: (line: string) => console.error(line) }) {
    this.#options = options
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
    const { afterMs, print } = this.#options
    for (const [file, begunMs] of this.#begun) {
      if (Date.now() - begunMs < afterMs) continue
      print(`Still running after ${afterMs / 60_000} minutes: ${file}`)
      this.#begun.delete(file)
    }
  }
}
