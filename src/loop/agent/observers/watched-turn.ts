import type { Ports } from "../../../core/ports.ts"
import type { VirtualContextState } from "../../../memory/forgetting/plugin/context-state.ts"
import type { AskModel } from "../../../memory/services/background/background-job.ts"
import type { ObservedEvent, ObservedSession, ObserverContext } from "../../../memory/services/observer.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { SettingsOf } from "../../../profile/key.ts"
import type { observerKeys } from "../../../profile/keys/turn.ts"
import type { Dialect } from "../../../prompt/dialect/dialect.ts"

/** Everything that a profile's observer works with. */
export interface ObserverParts {
  readonly name: string
  readonly settings: SettingsOf<typeof observerKeys>
  readonly dialect: Dialect
  readonly timeZone: string | undefined
  readonly ask: AskModel
  readonly ports: Pick<Ports, "clock">
  readonly putReceipt: (receipt: Receipt) => Promise<void>
}

/** A finished turn, as an observer looks at it. */
export interface WatchedTurn {
  readonly context: ObserverContext
  readonly session: ObservedSession
  readonly state: VirtualContextState
  readonly result: Extract<Extract<ObservedEvent, { type: "turn-end" }>["result"], { ok: true }>
}

/** The outcome of a look at a turn. */
export interface WatchResult {
  readonly events: readonly { readonly text: string; readonly importance: number }[]
  readonly garbage: Garbage
  /** A note for the next turn; empty if there is nothing to say. */
  readonly note: string
}

/** Ids of things to remove. Their files are never touched. */
export interface Garbage {
  readonly workspace: readonly string[]
  readonly pulled: readonly string[]
}
