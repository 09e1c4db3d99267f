import type { TurnResult } from "../trace/turn-result.ts"

/** Sends a line to the session and shows the turn to its end. */
export type Ask = (text: string) => Promise<TurnResult>
