import type { ModelCalls, ServiceKey } from "../../../core/conversation.ts"
import type { LanguageModel } from "../../../core/model/language-model.ts"
import type { Assembly } from "../../../core/span.ts"

/** Holds calls of models to what a turn and a user's day may use (T57, T58). Its functions reject with `spending-limit`. */
export interface Spending<Turn> {
  /** Assembles the next request for the model that it may go to: the one that is asked, else the fallback model. */
  allow(
    turn: Turn,
    model: LanguageModel,
    assemble: (model: LanguageModel) => Promise<Assembly>,
  ): Promise<{ readonly model: LanguageModel; readonly assembly: Assembly }>
  /** Looks whether a request of background work may be sent for a user. */
  expectRoom(key: ServiceKey, model: LanguageModel, request: Assembly): Promise<void>
}

/** The parts of an agent by which its calls are held to limits. */
export interface SpendingParts<Turn> {
  /** Goes on where a limit is reached. */
  readonly fallback: LanguageModel | undefined
  /** Turns whose calls no store knows yet, each with its last call and the number of calls before that. */
  readonly calling: Map<Turn, { readonly call: ModelCalls; readonly steps: number }>
}
