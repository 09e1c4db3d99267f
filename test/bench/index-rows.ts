import type { MemoryRecords, StoredMemory } from "../../src/memory/services/store/records.ts"
import { manyLines } from "./recall-speed.ts"

export const indexedKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const

/** So many memories as a store keeps them: as JSON, which is read anew each time. */
export const indexedRows = (count: number) =>
  manyLines(count).lines.map(({ id, session, ...said }) => {
    const { agent, audience, user } = indexedKey
    return JSON.stringify({ ...said, id, agent, conversation: session, audience, user, kind: "dialogue", turnId: id })
  })

export const changesOf =
  (kept: readonly string[]): MemoryRecords["changes"] =>
  async (_, { after, limit }) => {
    const from = after?.sequence ?? 0
    const memories = kept.slice(from, from + limit).map((row): StoredMemory => JSON.parse(row))
    return { cursor: { epoch: 0, sequence: from + memories.length }, reset: false, memories }
  }
