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
