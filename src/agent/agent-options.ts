import type { SessionKey } from "../core/conversation.ts"
import type { Ports } from "../core/ports.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Profile, ProfileSource } from "../profile/profile.ts"
import type { MemoryRecall } from "../services/memory/memory-service.ts"
import type { Observer } from "../services/observer.ts"
import type { Plugin } from "../services/plugin.ts"
import type { SessionStore } from "../services/store/session-store.ts"
import type { Store } from "../services/store/store.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { InjectionInput } from "../stack/injection.ts"
import type { Confirm, Tool } from "../tools/tool.ts"
import type { BackgroundWarning } from "../turn/turn-context.ts"
import type { AgentServices } from "./remembering.ts"
import type { Turn } from "./turn.ts"

/** What an agent is made from. Only `profile` and `model` are needed. */
export interface AgentOptions {
  /** A profile, or where it comes from when it can change: then each new session takes the current one. */
  readonly profile: Profile | ProfileSource
  /** A model, or several: the next is tried where one fails before the first shown character. */
  readonly model: LanguageModel | readonly [LanguageModel, ...LanguageModel[]]
  /** Tools beside the profile's own. */
  readonly tools?: readonly Tool[]
  /** Plugins beside the profile's own. */
  readonly plugins?: readonly Plugin[]
  /**
   * Keeps sessions; default: in memory, gone with the process. With a whole `Store` the agent also remembers, while its profile's
   * memory is enabled: work follows each turn that asks the model. Whoever opened a store closes it.
   */
  readonly store?: SessionStore | Store
  /**
   * False leaves the jobs in the store to another process that has the same agent, such as `promptstrata worker`. Default true: this
   * one does them, those included that an earlier process left there.
   */
  readonly runJobs?: boolean
  /** Services that take the place of those over the store, one by one. */
  readonly services?: AgentServices
  /** Finds memories for a question; default: the memory service, where there is one. */
  readonly memory?: MemoryRecall
  readonly hooks?: readonly TurnHook[]
  /** What watches turns beside them (R26); the main process's own is called `main-observer`. */
  readonly observers?: readonly Observer[]
  /** Told of each turn that an observer opened (R27), so that what the agent says in it can be delivered. */
  readonly onWake?: (turn: Turn, key: SessionKey) => void
  /** Asks whoever decides before a tool does something that cannot be taken for granted; without it such things are refused. */
  readonly confirm?: Confirm
  /** Told of what goes wrong in the background, after a turn has ended. Default: `console.warn`. */
  readonly onWarning?: (warning: BackgroundWarning) => void
  /** Items of the agent's own, in every prompt of every session; scope `global`. */
  readonly injections?: readonly InjectionInput[]
  /** Time, timers, ids, randomness and token counting, for tests. */
  readonly ports?: Partial<Ports>
}
