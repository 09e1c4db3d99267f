import { frozenJson } from "../../../../memory/services/store/frozen-json.ts"
import type { StoredMemory } from "../../../../memory/services/store/records.ts"
import { fromKeyText, keyText, sessionColumns, userColumns } from "../key-columns.ts"
import { bodyText, readBody } from "../row-body.ts"
import type { MemoryColumns } from "../sql-tables.ts"

/** A memory as a row, without its sequence numbers. */
export function memoryRow(memory: StoredMemory, hash: string): Omit<MemoryColumns, "user_sequence" | "group_sequence"> {
  const { supersededBy, ...rest } = frozenJson(memory, "memory")
  return {
    ...sessionColumns(memory),
    ...userColumns(memory),
    id: keyText(memory.id),
    kind: memory.kind,
    turn_id: keyText(memory.turnId),
    hash: keyText(hash),
    at_ms: memory.atMs,
    superseded_by: supersededBy === undefined ? null : keyText(supersededBy),
    body: bodyText(rest),
  }
}

/** The memory of a row. */
export function memoryOf({
  agent,
  id,
  body,
  superseded_by,
}: Pick<MemoryColumns, "agent" | "id" | "body" | "superseded_by">): StoredMemory {
  const memory = readBody<StoredMemory>(body, { table: "memories", columns: { agent, id } })
  return superseded_by === null ? memory : { ...memory, supersededBy: fromKeyText(superseded_by) }
}
