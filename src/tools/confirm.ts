/** What somebody is asked before a tool does something that cannot be taken for granted. */
export interface ConfirmRequest {
  readonly tool: string
  /** What would be done, in one line: `change SOUL.md`. */
  readonly summary: string
  /** More to decide by, such as a diff. */
  readonly detail?: string
}

/** Asks whoever decides; `false` is told to the model. Not called again for what it refused in the same call. */
export type Confirm = (request: ConfirmRequest, signal: AbortSignal) => Promise<boolean>
