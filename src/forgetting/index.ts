export {
  type DecayPreset,
  type DecaySettings,
  decayPresets,
  type Review,
  retrievability,
  reviewStability,
  type Use,
} from "./decay.ts"
export type { ForgettingClock, Moment } from "./forgetting-clock.ts"
export { createWorkspace, type UseReport, type Workspace, type WorkspaceOptions } from "./workspace.ts"
export type { RememberedItem, WorkspaceItem } from "./workspace-item.ts"
