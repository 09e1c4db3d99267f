import type { Turn } from "../../../loop/agent/turn.ts"
import { createKeyedQueue } from "../../../memory/services/keyed-queue.ts"
import { showTurn, type TurnPrinter } from "./turn-printer.ts"

/** Shows the turns of wakes between those of a chat. */
export interface WakePrinter {
  /** Shows a turn once nothing else is shown. */
  readonly onWake: (turn: Turn) => Promise<void>
  /** Runs work that shows turns of its own. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  /** From now on shows wakes within this function. */
  showBy(frame: (show: () => Promise<void>) => Promise<void>): void
}

/** Makes a {@link WakePrinter} for a chat's printer. */
export function createWakePrinter(printer: TurnPrinter): WakePrinter {
  const shown = createKeyedQueue()
  let frame = (show: () => Promise<void>): Promise<void> => show()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => shown.enqueue("chat", work)
  return {
    inTurn,
    onWake: (turn) => inTurn(() => frame(async () => void (await showTurn(turn, printer)))),
    showBy(other) {
      frame = other
    },
  }
}
