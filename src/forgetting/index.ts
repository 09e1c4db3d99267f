export { retrievability } from "../core/retrievability.ts"
export type { CompressedMessage, CompressionSettings } from "./compression/compressed-message.ts"
export { showCompressed } from "./compression/show-compressed.ts"
export { type DecayPreset, type DecaySettings, decayPresets, type Review, reviewStability, type Use } from "./decay.ts"
export { type EventRecord, type NewEvent, newEvent, putEvents } from "./events/event-record.ts"
export { type EventWeights, eventScore } from "./events/event-score.ts"
export type { Grain } from "./events/grain.ts"
export { dueRollUps, type RollUp, type RollUpWindow } from "./events/roll-ups.ts"
export { type EventSelection, selectEvents } from "./events/select-events.ts"
export { formatEventLine, formatStamp, parseEventLine, parseStamp, type Stamp } from "./events/stamp.ts"
export { stampAt, stampRange } from "./events/stamp-range.ts"
export { type EndedTopic, nextTopic, type Topic, type TopicSettings } from "./events/topic.ts"
export { type CalendarDay, type LocalMinute, type ZonedCalendar, zonedCalendar } from "./events/zoned-calendar.ts"
export type { ForgettingClock, Moment } from "./forgetting-clock.ts"
export { type VirtualContextChange, virtualContextNote } from "./plugin/changes.ts"
export type {
  EventSettings,
  VirtualContextInput,
  WatchedPulls,
  WorkspaceSettings,
  Writer,
} from "./plugin/settings.ts"
export { readState as readVirtualContextState, type VirtualContextState, virtualContextName } from "./plugin/state.ts"
export { createVirtualContext, type VirtualContextOptions } from "./plugin/virtual-context.ts"
export { afterRun as pullFromRun } from "./plugin/watch-pulls.ts"
export { type PulledItem, type PulledSettings, pull, stalePulled } from "./pulled.ts"
export type { ReferenceUnit } from "./reference/choose-units.ts"
export { type CompressionWriter, type CompressOptions, compress } from "./reference/compress.ts"
export { modelCompressionWriter } from "./reference/model-compression.ts"
export { parseReferenceSource } from "./reference/parse-source.ts"
export { formatReferenceInfo, parseReferenceInfo, type ReferenceInfo } from "./reference/reference-info.ts"
export {
  type CompressionCriterion,
  type CompressionLevel,
  formatReferenceSource,
  type ReferenceSource,
} from "./reference/reference-source.ts"
export { createWorkspace, type UseReport, type Workspace, type WorkspaceOptions } from "./workspace.ts"
export type { RememberedItem, WorkspaceItem } from "./workspace-item.ts"
