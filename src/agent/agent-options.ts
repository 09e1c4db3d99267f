import type { Ports } from "../core/ports.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Profile } from "../profile/profile.ts"
import type { MemoryRecall } from "../services/memory.ts"
import type { SessionStore } from "../services/session-store.ts"
import type { InjectionInput } from "../stack/injection.ts"
import type { Tool } from "../tools/tool.ts"
import type { TurnHook } from "../turn/hook.ts"

/** What an agent is made from. Only `profile` and `model` are needed. */
export interface AgentOptions {
  readonly profile: Profile
  /** A model, or several: the next is tried where one fails before the first shown character. */
  readonly model: LanguageModel | readonly [LanguageModel, ...LanguageModel[]]
  /** Tools beside the profile's own. */
  readonly tools?: readonly Tool[]
  /** Keeps sessions; default: in memory, gone with the process. */
  readonly store?: SessionStore
  /** Finds memories for a question; default: none. */
  readonly memory?: MemoryRecall
  readonly hooks?: readonly TurnHook[]
  /** Items of the agent's own, in every prompt of every session; scope `global`. */
  readonly injections?: readonly InjectionInput[]
  /** Time, timers, ids, randomness and token counting, for tests. */
  readonly ports?: Partial<Ports>
}
