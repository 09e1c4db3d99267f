/** The living documents. The first one is cut last (D5). */
export const documentNames = ["soul", "user", "memory"] as const

export type DocumentName = (typeof documentNames)[number]

/** The file of each document in the root of the workspace. */
export const documentFiles: Readonly<Record<DocumentName, string>> = { soul: "SOUL.md", user: "USER.md", memory: "MEMORY.md" }

/** A document as it was read. `unreadable`: the file exists, but it is not text that can be shown (D3). */
export type DocumentState =
  | { readonly state: "read"; readonly text: string }
  | { readonly state: "missing" }
  | { readonly state: "unreadable" }

/** The documents of a turn. If the conversation's memory is off, `user` and `memory` are not read and are absent (D2). */
export type Documents = { readonly soul: DocumentState; readonly user?: DocumentState; readonly memory?: DocumentState }

export interface DocumentSettings {
  /** The message in which USER.md and MEMORY.md stand. A model's own notes have less authority in the user message. SOUL.md always stands in the system message. */
  readonly placement: "system" | "user"
  /** A document with more code points is cut, with a marker (D4). */
  readonly maxCharacters: number
  /** A document with more tokens is cut. If this is given, `maxCharacters` does not count. */
  readonly maxTokens?: number | undefined
  /** The share of the limit that each document keeps if the budget is short (D5). */
  readonly minShare: number
  /** USER.md with fewer visible characters counts as nearly empty (D8). */
  readonly nearlyEmptyCharacters: number
  /** If MEMORY.md is longer than this share of the limit, the prompt asks to tidy it (D8). */
  readonly nearLimitShare: number
}

export const defaultDocumentSettings: DocumentSettings = {
  placement: "system",
  maxCharacters: 20_000,
  minShare: 0.1,
  nearlyEmptyCharacters: 100,
  nearLimitShare: 0.8,
}

/** The record of one change of a file in a workspace. */
export interface DocumentChange {
  /** A number in decimal digits. It only grows within a workspace. */
  readonly id: string
  readonly path: string
  /** The author: the agent's id for its tools, `user` for a person. */
  readonly by: string
  /** Milliseconds since 1970. */
  readonly atMs: number
  /** Absent when this change created the file. */
  readonly beforeHash?: string
  /** Absent when this change removed the file. */
  readonly afterHash?: string
  /** One hunk of a unified diff. A long one is cut, and its last line says so. */
  readonly diff: string
  /** The id of the change that this one took back. */
  readonly undoes?: string
}
