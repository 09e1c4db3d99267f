import type { ToolRun } from "../../../prompt/tools/tool.ts"

/** Keeps what a turn does, so that a turn that a crash ended can be taken up where it stood. */
export interface TurnJournal {
  /** The id of the turn, each time it is begun. */
  readonly turnId: string
  /** The turn of the history that holds the words already, because they waited for an approval before the crash. */
  readonly kept?: { readonly turnId: string } | undefined
  /** The words of its answer that arrived before the crash; empty in the first try. The new answer stands behind them. */
  readonly said: string
  /** The runs of tools before the crash. One without a result of which nobody knows if it took effect is never made again. */
  readonly runs: readonly {
    readonly id: string
    readonly tool: string
    readonly args: ToolRun["args"]
    readonly result?: string
  }[]
  /** Called before a tool that writes runs. */
  began(call: Pick<ToolRun, "id" | "tool" | "args">): Promise<unknown>
  /** Called with each run of a tool that the model called. */
  ended(run: ToolRun): Promise<unknown>
}

/** The id under which the history holds the words of a turn that has to wait for an approval. */
export const waitingIdOf = ({ turnId }: Pick<TurnJournal, "turnId">): string => `waiting:${turnId}`
