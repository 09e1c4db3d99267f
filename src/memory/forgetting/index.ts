// The virtual context as a plugin

export type { CompressionSettings } from "./compressed-messages.ts"
export { type VirtualContextChange, virtualContextNote } from "./plugin/context-state.ts"
export { createVirtualContext } from "./plugin/virtual-context.ts"
export type {
  EventSettings,
  VirtualContextOptions,
  WatchedPulls,
  WorkspaceSettings,
  Writer,
} from "./plugin/virtual-context-settings.ts"
export type { PulledItem, PulledSettings } from "./pulled.ts"

// The forgetting curve

export { retrievability } from "../../core/retrievability.ts"
export type { ForgettingClock, Moment } from "./decay.ts"
export { type DecayPreset, type DecaySettings, type Review, reviewStability, type Use } from "./decay.ts"

// A workspace that forgets

export {
  createWorkspace,
  type ForgettingWorkspace,
  type ForgettingWorkspaceOptions,
  type RememberedItem,
  type UseReport,
  type WorkspaceItem,
} from "./forgetting-workspace.ts"

// Events

export type { EventRecord } from "./events/event-record.ts"
export { type EventSelection, type EventWeights, eventScore, selectEvents } from "./events/select-events.ts"
export { formatEventLine, type Grain, parseEventLine, type Stamp } from "./events/stamp.ts"

// Reference info, and compressing it

export {
  type CompressionWriter,
  type CompressOptions,
  compress,
  modelCompressionWriter,
  type ReferenceUnit,
} from "./reference/compress.ts"
export { formatReferenceInfo, parseReferenceInfo, type ReferenceInfo } from "./reference/reference-info.ts"
export type { CompressionCriterion, CompressionLevel, ReferenceSource } from "./reference/reference-source.ts"
