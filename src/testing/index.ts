// A model that plays a script

export {
  expectScriptsDone,
  type ScriptedAnswer,
  type ScriptedChunk,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedStep,
  scriptedModel,
} from "./scripted-model.ts"

// Time, ids and randomness that a test controls

export {
  countingIds,
  type ManualClock,
  type ManualTimers,
  manualClock,
  manualTimers,
  seededRandom,
} from "./deterministic-ports.ts"

// Snapshots of prompts

export { promptSerializer } from "./format-assembly.ts"

// The prompt cache of a provider

export { printCacheReport } from "./cache-simulator/print-cache-report.ts"
export {
  type CacheOptions,
  type CachePrices,
  type CacheReport,
  type CacheRequest,
  type CacheRow,
  simulateCache,
} from "./cache-simulator/simulate-cache.ts"
export { expectStablePrefix, type PreviewsPrompts, type StablePrefixOptions } from "./expect-stable-prefix.ts"

// Checks of a store

export type { OpenedService, ServiceCheck, ServiceConformanceOptions } from "./conformance/store/samples.ts"
export { storeConformance } from "./conformance/store/store-conformance.ts"
