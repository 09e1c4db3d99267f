import { canonicalArguments } from "../tools/call-arguments.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"

/** A call, as the model wrote it: `args` before defaults are filled in. */
export interface GuardedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly tool: Tool | undefined
}

/** Remembers the calls of a turn, also those that still run, so that an equal one is not run again (T17). */
export class CallGuard {
  readonly #calls = new Map<string, { readonly run: Promise<ToolRun>; readonly writes: number }>()
  #writes = 0
  #repeats = 0

  /** Repeats so far in this turn. */
  get repeats(): number {
    return this.#repeats
  }

  /** The run that this call would repeat; else a new one, started here. A repeatable tool, and a call after a write, are no repeats. */
  claim({ name, args, tool }: GuardedCall, start: () => Promise<ToolRun>): { run: Promise<ToolRun>; isRepeat: boolean } {
    const identity = `${name}\n${canonicalArguments(args)}`
    const earlier = this.#calls.get(identity)
    if (earlier && tool?.repeatable !== true && earlier.writes === this.#writes) {
      this.#repeats++
      return { run: earlier.run, isRepeat: true }
    }
    if (tool?.writes === true) this.#writes++
    const run = start()
    this.#calls.set(identity, { run, writes: this.#writes })
    return { run, isRepeat: false }
  }
}
