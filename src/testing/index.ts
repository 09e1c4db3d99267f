export type { CacheOptions, CachePrices, CacheRequest } from "./cache-simulator/cache-options.ts"
export { printCacheReport } from "./cache-simulator/print-cache-report.ts"
export { type CacheReport, type CacheRow, simulateCache } from "./cache-simulator/simulate-cache.ts"
export type { ConformanceNeed } from "./conformance/check.ts"
export { type ConformanceCheck, type ConformanceOptions, modelConformance } from "./conformance/model-conformance.ts"
export type { PlayedModel, PlayProvider, ProviderHappening, ProviderScene, ProviderScript } from "./conformance/provider-scene.ts"
export type { Opened, ServiceCheck, ServiceConformanceOptions } from "./conformance/services/service-check.ts"
export {
  memoryServiceConformance,
  reflectionConformance,
  userProfileConformance,
} from "./conformance/services/service-conformance.ts"
export { jobRunnerConformance, sessionStoreConformance, storeConformance } from "./conformance/services/store-conformance.ts"
export { countingIds, seededRandom } from "./deterministic.ts"
export { expectScriptsDone } from "./expect-scripts-done.ts"
export { expectStablePrefix, type PreviewsPrompts, type StablePrefixOptions } from "./expect-stable-prefix.ts"
export { formatAssembly } from "./format-assembly.ts"
export { type ManualClock, type ManualTimers, manualClock, manualTimers } from "./manual-time.ts"
export { promptSerializer } from "./prompt-serializer.ts"
export { type RecordingOptions, recordModel } from "./recording/record-model.ts"
export { type ReplayModel, replayModel } from "./recording/replay-model.ts"
export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from "./scripted-model.ts"
export type { ScriptedAnswer, ScriptedChunk, ScriptedStep } from "./scripted-step.ts"
