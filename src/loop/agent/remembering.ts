import type { ServiceKey } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { onDemand } from "../../core/late.ts"
import type { Ports } from "../../core/ports.ts"
import type { AskModel } from "../../memory/services/background/background-job.ts"
import { createReflectionService } from "../../memory/services/background/create-reflection-service.ts"
import { createMemoryJob } from "../../memory/services/background/memory-job.ts"
import { createUserProfileService, userProfileHook } from "../../memory/services/create-user-profile-service.ts"
import { createMemoryService } from "../../memory/services/memory/create-memory-service.ts"
import type { Plugin } from "../../memory/services/plugin.ts"
import type { ReceiptRecords } from "../../memory/services/store/records.ts"
import type { Store } from "../../memory/services/store/store.ts"
import type { Profile } from "../../profile/profile.ts"
import type { AgentServices } from "./agent-options.ts"
import { loadAside } from "./borders/load-aside.ts"

interface RememberingParts {
  readonly profile: Profile
  readonly services: AgentServices
  readonly plugins: readonly Plugin[]
  /** Present if the agent was given a whole store. */
  readonly store: Store | undefined
  readonly receipts: ReceiptRecords
  readonly ask: AskModel
  readonly ports: Ports
  readonly onWarning: (message: string, key: ServiceKey) => void
}

/** The turns that one call judges: more where prompts show as many, but not of one event. The prompt system of `fay` asks after every turn (T31). */
function usualBatchTurns({ dialect, history }: Profile, events: boolean): number {
  if ((typeof dialect === "string" ? dialect : dialect.name) === "fay") return 1
  return history.window === "steps" && history.contextCount >= 20 && !events ? 20 : 10
}

/** The memories that a reflection reads where their number is not what begins it. */
const usualReflectOn = 20

/**
 * Makes the parts by which an agent remembers: recall and hooks before a turn, and jobs after it. An agent remembers if its profile's
 * memory is enabled and it was given a whole store or services. Otherwise it asks its model nothing outside its turns.
 */
export function remembering(parts: RememberingParts) {
  const { profile, services, receipts, ports } = parts
  const { memory, userProfile, ...background } = servicesOf(parts)
  if (!profile.memory.enabled || (memory ?? userProfile) === undefined) return { hooks: [], jobs: [] }
  const { importanceThreshold, keys, reflectEvery, stepMs, profileCharacters } = profile.memory
  const documents = profile.plugins.find((plugin) => plugin.documents)?.documents
  if (profile.memory.store === "documents" && !documents)
    throw new PromptStrataError("profile", 'memory.store "documents" needs loadProfile.')
  const events = parts.plugins.some(({ notesEvents }) => notesEvents)
  const job = createMemoryJob({
    documents,
    settings: {
      importanceThreshold,
      keys,
      events,
      timeZone: profile.timeZone,
      batchTurns: profile.memory.batchTurns ?? usualBatchTurns(profile, events),
      stepMs,
      profileCharacters,
      reflectOn: reflectEvery || usualReflectOn,
    },
    agentName: profile.agent.name,
    receipts,
    isOneStore: (services.memory ?? services.userProfile) === undefined,
    ports,
    memory,
    userProfile,
    ...background,
  })
  return {
    recall: memory,
    userProfile,
    // Documents in the prompt hold the profile, too.
    hooks: userProfile && !documents ? [userProfileHook(userProfile, { maxCharacters: profileCharacters })] : [],
    jobs: [job],
  }
}

function servicesOf({ profile, services, store, ask, ports, onWarning }: RememberingParts) {
  if (store === undefined) return services
  const { reflectEvery, reflectImportance, reflectSchedule, duplicateSimilarity } = profile.memory
  const { embed, rerank } = services
  return {
    memory: createMemoryService({
      records: store.memories,
      clock: ports.clock,
      timers: ports.timers,
      onWarning,
      weights: profile.recallWeights,
      timeZone: profile.timeZone,
      ...{ embed, rerank, duplicateSimilarity },
      embedTimeoutMs: Math.min(1_500, profile.limits.prestartMs / 3),
      rerankTimeoutMs: Math.min(profile.memory.rerankMs, profile.limits.prestartMs / 2),
    }),
    userProfile: createUserProfileService({ records: store.users }),
    reflection: createReflectionService({
      ask,
      records: store.memories,
      clock: ports.clock,
      timeZone: profile.timeZone,
      every: reflectEvery,
      importanceSum: reflectImportance,
      nextRunMs: reflectSchedule === undefined ? undefined : momentsOf(reflectSchedule, profile.timeZone),
    }),
    ...services,
  }
}

/** Reads the pattern with the first question, so that croner is loaded only when it is needed. */
function momentsOf(pattern: string, timeZone = "UTC"): (afterMs: number) => Promise<number | undefined> {
  const times = onDemand(async () => (await loadAside()).cronTimes(pattern, timeZone))
  return async (afterMs) => (await times()).after(afterMs)
}
