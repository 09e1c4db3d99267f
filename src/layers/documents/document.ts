/** The living documents, the one that gives way last first (D5). */
export const documentNames = ["soul", "user", "memory"] as const

/** One of the living documents. */
export type DocumentName = (typeof documentNames)[number]

/** The file of each document, in the workspace's root. */
export const documentFiles: Readonly<Record<DocumentName, string>> = {
  soul: "SOUL.md",
  user: "USER.md",
  memory: "MEMORY.md",
}

/** A document as it was read: `unreadable` is there, but not as text that can be shown (D3). */
export type DocumentState =
  | { readonly state: "read"; readonly text: string }
  | { readonly state: "missing" }
  | { readonly state: "unreadable" }

/** The documents of a turn. Where the conversation's memory is off, `user` and `memory` are absent: nobody looked (D2). */
export interface Documents {
  readonly soul: DocumentState
  readonly user?: DocumentState
  readonly memory?: DocumentState
}

/** How documents enter a prompt. */
export interface DocumentSettings {
  /** Where USER.md and MEMORY.md stand: in the system message, or in the user's, where a model's own notes carry less authority. SOUL.md stays in the system message. */
  readonly placement: "system" | "user"
  /** A longer document is cut visibly, in code points (D4). */
  readonly maxCharacters: number
  /** The share of `maxCharacters` that a short budget leaves each document (D5). */
  readonly minShare: number
  /** USER.md with fewer visible characters counts as nearly empty (D8). */
  readonly nearlyEmptyCharacters: number
  /** MEMORY.md longer than this share of `maxCharacters` is to be tidied (D8). */
  readonly nearLimitShare: number
}

/** What holds where nobody says otherwise. */
export const defaultDocumentSettings: DocumentSettings = {
  placement: "system",
  maxCharacters: 20_000,
  minShare: 0.1,
  nearlyEmptyCharacters: 100,
  nearLimitShare: 0.8,
}
