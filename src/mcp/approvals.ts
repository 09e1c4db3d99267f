/** What was approved: by tool (`server.tool`), the fingerprint of its definition. */
export type Fingerprints = Readonly<Record<string, string>>

/** Keeps what was approved from one run to the next. */
export interface McpApprovals {
  load(): Promise<Fingerprints>
  /** Adds these to what is kept; others stay. */
  save(approved: Fingerprints): Promise<void>
}

/** Approvals that are gone with the process. */
export function inMemoryApprovals(): McpApprovals {
  const kept = new Map<string, string>()
  return {
    load: async () => Object.fromEntries(kept),
    async save(approved) {
      for (const [tool, fingerprint] of Object.entries(approved)) kept.set(tool, fingerprint)
    },
  }
}
