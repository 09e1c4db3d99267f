// The virtual context as a plugin

export type { VirtualContextChange } from "./plugin/context-state.ts"
export { createVirtualContext } from "./plugin/virtual-context.ts"
export type { VirtualContextOptions } from "./plugin/virtual-context-settings.ts"

// The forgetting curve

export { retrievability } from "../../core/retrievability.ts"
export type { Moment } from "./decay.ts"
export { reviewStability } from "./decay.ts"

// A workspace that forgets

export { createWorkspace, type ForgettingWorkspace, type RememberedItem, type WorkspaceItem } from "./forgetting-workspace.ts"

// Events

export type { EventRecord } from "./events/event-record.ts"
export { selectEvents } from "./events/select-events.ts"
export { formatEventLine, parseEventLine, type Stamp } from "./events/stamp.ts"

// Reference info, and compressing it

export { type CompressionWriter, compress, modelCompressionWriter } from "./reference/compress.ts"
export { formatReferenceInfo, parseReferenceInfo, type ReferenceInfo } from "./reference/reference-info.ts"
