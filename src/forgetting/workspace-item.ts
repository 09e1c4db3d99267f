import type { Moment } from "./forgetting-clock.ts"

/** One thing that a workspace holds: plain JSON. */
export interface WorkspaceItem {
  /** Unique in its workspace: a file's path, or a name given to a piece of information. */
  readonly id: string
  readonly kind: "file" | "reference"
  /** What the workspace shows of it: a summary, or the information itself. */
  readonly text: string
  /** Days until its retrievability is 0.9. */
  readonly stability: number
  /** When it was put here. */
  readonly added: Moment
  /** When it last came up; retrievability is counted from here. */
  readonly recalled: Moment
  /** Its own difficulty; the higher, the less a recall strengthens. */
  readonly difficulty?: number
  /** What its owner keeps with it. */
  readonly data?: Readonly<Record<string, unknown>>
}

/** An item, and how well it is remembered now. */
export interface RememberedItem extends WorkspaceItem {
  readonly retrievability: number
}
