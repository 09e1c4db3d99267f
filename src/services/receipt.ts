import type { ServiceKey } from "../core/keys.ts"
import type { Usage } from "../model/usage.ts"

/** How a piece of background work ended (T33). `skipped`: there was nothing to do, or a cap forbade it. */
export type ReceiptOutcome = "ok" | "empty" | "parse-error" | "timeout" | "failed" | "skipped"

/** What a piece of background work leaves behind: one for each turn and kind, the last attempt's. */
export interface Receipt {
  readonly key: ServiceKey
  readonly turnId: string
  /** `importance`, `profile`, `store`, `reflect`, or a plugin's own. */
  readonly kind: string
  readonly outcome: ReceiptOutcome
  /** How often this piece of work was tried for this turn, this time included. */
  readonly attempt: number
  readonly startedMs: number
  readonly durationMs: number
  /** In one line, for a person: `importance 7`, `no number in "…"`. */
  readonly message?: string
  /** What later steps go on with after a restart, such as `{ "importance": 7 }`. */
  readonly value?: Readonly<Record<string, unknown>>
  /** The model that was asked; absent where none was. */
  readonly model?: string
  readonly usage?: Usage
}
