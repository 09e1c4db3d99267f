import { canonicalArguments } from "../tools/canonical-arguments.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"

/** Remembers the calls of a turn, so that an equal one is not run again (T17). */
export class CallGuard {
  readonly #calls = new Map<string, { readonly run: ToolRun; readonly writes: number }>()
  #writes = 0
  #repeats = 0

  /** Repeats so far in this turn. */
  get repeats(): number {
    return this.#repeats
  }

  /** The run that this call would repeat, if it is a repeat; counts it. */
  repeatOf(name: string, args: Readonly<Record<string, unknown>>, tool: Tool | undefined): ToolRun | undefined {
    const earlier = this.#calls.get(identity(name, args))
    if (!earlier || tool?.repeatable === true || earlier.writes !== this.#writes) return undefined
    this.#repeats++
    return earlier.run
  }

  /** Records a call that was run. `args` are those of the call, before defaults were filled in. */
  record(run: ToolRun, args: Readonly<Record<string, unknown>>, tool: Tool | undefined): void {
    if (tool?.writes === true) this.#writes++
    this.#calls.set(identity(run.tool, args), { run, writes: this.#writes })
  }
}

function identity(name: string, args: Readonly<Record<string, unknown>>): string {
  return `${name}\n${canonicalArguments(args)}`
}
