import { checkedResults, checkMemberTypes, checkOptions, checkShape, checkType } from "../../core/check-options.ts"
import type { SessionKey } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import type { LanguageModel } from "../../core/model/language-model.ts"
import { hostPorts, type Ports } from "../../core/ports.ts"
import type { Describe } from "../../memory/services/attachments/describe.ts"
import type { ExtractFacts, JudgeImportance } from "../../memory/services/background/memory-job-options.ts"
import type { ReflectionService } from "../../memory/services/background/reflection.ts"
import type { EmbeddingModel, MemoryRecall, MemoryService, Rerank } from "../../memory/services/memory/memory-service.ts"
import type { Observer } from "../../memory/services/observer.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import { isShipped, type Store } from "../../memory/services/store/store.ts"
import type { TurnHook } from "../../memory/services/turn-hook.ts"
import type { UserProfileService } from "../../memory/services/user-profile.ts"
import type { Profile, ProfileSource } from "../../profile/profile.ts"
import type { InjectionInput } from "../../prompt/stack/injection.ts"
import type { Confirm, Tool } from "../../prompt/tools/tool.ts"
import type { BackgroundWarning } from "../turn/turn-context.ts"
import shapes from "./agent-shapes.json" with { type: "json" }
import type { AnswerRules, ShouldAnswer } from "./receive.ts"
import type { Turn } from "./turn.ts"

/** Services that replace those over the agent's store, each by itself. */
export interface AgentServices {
  readonly memory?: MemoryService
  readonly userProfile?: UserProfileService
  readonly reflection?: ReflectionService
  /** Judges the importance of turns in place of the model. */
  readonly importance?: JudgeImportance
  /** Finds in place of the model what users told of themselves. */
  readonly facts?: ExtractFacts
  /** Lets the memory service over the agent's store find memories by meaning too. */
  readonly embed?: EmbeddingModel
  /**
   * Puts the first 50 memories that the memory service over the agent's store finds into a better order, within `memory.rerankMs`. If it
   * fails, the turn goes on with the order of recall, and its trace says so.
   */
  readonly rerank?: Rerank
  /**
   * Describes each picture, recording or file once, before the turn that it came with, within `limits.toolMs`. The caption stands in
   * prompts where a model does not get the attachment itself.
   */
  readonly describe?: Describe
}

/** Options of `createAgent`. Only `profile` and `model` are required. */
export interface AgentOptions {
  /** A profile, or a source of profiles that change: each new session then takes the current one. */
  readonly profile: Profile | ProfileSource
  /** A model, or several. The next one is tried if one fails before the first shown character. */
  readonly model: LanguageModel | readonly [LanguageModel, ...LanguageModel[]]
  /**
   * Models of the profile's processes and observers, by name. One that is not named here uses `model`. `memory` is tried before `model`
   * for work behind turns.
   */
  readonly models?: Readonly<Record<string, LanguageModel>>
  /** Tools beside the profile's own. */
  readonly tools?: readonly Tool[]
  /** Plugins beside the profile's own. */
  readonly plugins?: readonly Plugin[]
  /**
   * Keeps everything. With it, the agent remembers if its profile's memory is enabled: after each turn, background work asks the model.
   * Default: sessions are kept in memory until the process ends, and nothing is remembered. The agent does not close the store.
   */
  readonly store?: Store | undefined
  /**
   * False leaves the jobs in the store to another process with the same agent, such as `promptstrata worker`. Default true: this
   * process runs them, those included that an earlier process left there.
   */
  readonly runJobs?: boolean
  /** Services that replace those over the store, each by itself. */
  readonly services?: AgentServices
  /** Finds memories for a question. Default: the memory service, if there is one. */
  readonly memory?: MemoryRecall
  readonly hooks?: readonly TurnHook[]
  /** Observers, which get the events of turns without delaying them (R26). The one of the main process is called `main-observer`. */
  readonly observers?: readonly Observer[]
  /**
   * Called with each turn that an observer opened (R27) or a wake that was set, so that its answer can be delivered through the door that the
   * conversation came from. A promise that rejects is told to `onWarning`. Without it, what was set waits for the conversation's next turn.
   */
  readonly onWake?: (turn: Turn, key: SessionKey) => unknown
  /** Decides which words `Session.receive` answers; it hears the others. Default: all are answered. */
  readonly shouldAnswer?: AnswerRules | ShouldAnswer
  /**
   * Asks a person before a tool does something that needs consent. With `later`, a question in the middle of a tool's work waits in the
   * store, as calls that need an approval do; a bot, `createHandler` and an inspector with `chat` set that themselves. Without it, such a question is refused.
   */
  readonly confirm?: Confirm | "later" | undefined
  /** Called with everything that goes wrong in the background, after a turn has ended. Default: `console.warn`. */
  readonly onWarning?: (warning: BackgroundWarning) => void
  /** Items for every prompt of every session, of scope `global` unless they say otherwise. */
  readonly injections?: readonly InjectionInput[]
  /** Time, timers, ids, randomness and token counting, for tests. */
  readonly ports?: Partial<Ports>
}

const agentOptions =
  "profile model models tools plugins store runJobs services memory hooks observers onWake shouldAnswer confirm onWarning injections ports"
const agentServices = "memory userProfile reflection importance facts embed rerank describe"
const answerRules = "mentioned repliedTo keywords probability model decide cooldownMs quietHours"
const portNames = { ...hostPorts, counter: true }

const storeMembers =
  "load:function commit:function append:function post:function messages:function branches:function jobs:object wakes:object memories:object users:object receipts:object blobs:object"

/** Throws `usage` for an unknown option of `createAgent`, and for a model or profile that is none. */
export function checkAgentOptions(options: AgentOptions): void {
  checkOptions("createAgent", options, agentOptions)
  const models: readonly (LanguageModel | undefined)[] = [options.model].flat()
  const isModel = (model?: LanguageModel) =>
    typeof model?.stream === "function" && typeof model.id === "string" && isRecord(model.capabilities)
  const wanted = models.length > 0 && models.every(isModel) ? wantedOf(options.profile) : "a LanguageModel as `model`"
  if (wanted) throw new PromptStrataError("usage", `createAgent expected ${wanted}.`)
  for (const name of ["tools", "plugins", "hooks", "observers", "injections"] as const) {
    const given: unknown = options[name] ?? []
    if (!Array.isArray(given) || !given.every((each) => typeof each === "object" && each !== null))
      throw new PromptStrataError("usage", `createAgent expected a list of objects as \`${name}\`.`)
  }
  if (options.store !== undefined) checkMemberTypes("the store of createAgent", options.store, storeMembers)
  checkShape("options of createAgent", options, shapes.options)
  const { confirm = "later" } = options
  if (confirm !== "later") checkType('`confirm` of createAgent, if it is not "later"', confirm, "function")
  checkOptions("ports of createAgent", options.ports ?? {}, portNames)
  const { shouldAnswer: rules = {} } = options
  if (typeof rules !== "function") checkOptions("shouldAnswer of createAgent", rules, answerRules)
  checkOptions("services of createAgent", options.services ?? {}, agentServices)
}

/** The services of a program's own, which answer a result of a wrong shape with `usage`. */
export function checkedServices(services: AgentServices): AgentServices {
  const own: Record<string, unknown> = { ...services }
  for (const name of ["memory", "userProfile", "reflection"] as const) {
    const service: object | undefined = services[name]
    if (service) own[name] = checkedResults(`services.${name}`, service, shapes[name])
  }
  return own
}

/** The store that an agent was given. A program's own answers a result of a wrong shape with `usage`. */
export function checkedStore(store: Store | undefined): Store | undefined {
  return store === undefined || isShipped(store) ? store : checkedResults("the store", store, shapes.store)
}

/** The words for a profile that is none; undefined for one. */
function wantedOf(profile: unknown): string | undefined {
  if (profile instanceof Promise) return "an awaited `profile`"
  const isSource = isRecord(profile) && "current" in profile
  return isSource || (isRecord(profile) && isRecord(profile.agent)) ? undefined : "a `profile` of loadProfile or resolveProfile"
}
