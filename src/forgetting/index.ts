export { retrievability } from "../core/retrievability.ts"
export type { CompressedMessage, CompressionSettings } from "./compressed-messages.ts"
export { showCompressed } from "./compressed-messages.ts"
export type { ForgettingClock, Moment } from "./decay.ts"
export { type DecayPreset, type DecaySettings, decayPresets, type Review, reviewStability, type Use } from "./decay.ts"
export { type EventRecord, type NewEvent, newEvent, putEvents } from "./events/event-record.ts"
export { dueRollUps, type RollUp, type RollUpWindow } from "./events/roll-ups.ts"
export { type EventSelection, type EventWeights, eventScore, selectEvents } from "./events/select-events.ts"
export type { Grain } from "./events/stamp.ts"
export { formatEventLine, formatStamp, parseEventLine, parseStamp, type Stamp, stampAt, stampRange } from "./events/stamp.ts"
export { type EndedTopic, nextTopic, type Topic, type TopicSettings } from "./events/topic.ts"
export { type CalendarDay, type LocalMinute, type ZonedCalendar, zonedCalendar } from "./events/zoned-calendar.ts"
export type { RememberedItem, WorkspaceItem } from "./forgetting-workspace.ts"
export { createWorkspace, type UseReport, type Workspace, type WorkspaceOptions } from "./forgetting-workspace.ts"
export {
  afterRun as pullFromRun,
  readState as readVirtualContextState,
  type VirtualContextChange,
  type VirtualContextState,
  virtualContextName,
  virtualContextNote,
} from "./plugin/context-state.ts"
export { createVirtualContext, type VirtualContextOptions } from "./plugin/virtual-context.ts"
export type {
  EventSettings,
  VirtualContextInput,
  WatchedPulls,
  WorkspaceSettings,
  Writer,
} from "./plugin/virtual-context-settings.ts"
export { type PulledItem, type PulledSettings, pull, stalePulled } from "./pulled.ts"
export type { ReferenceUnit } from "./reference/compress.ts"
export { type CompressionWriter, type CompressOptions, compress, modelCompressionWriter } from "./reference/compress.ts"
export { formatReferenceInfo, parseReferenceInfo, type ReferenceInfo } from "./reference/reference-info.ts"
export {
  type CompressionCriterion,
  type CompressionLevel,
  formatReferenceSource,
  parseReferenceSource,
  type ReferenceSource,
} from "./reference/reference-source.ts"
