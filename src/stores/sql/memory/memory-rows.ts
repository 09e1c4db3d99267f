import { frozenJson } from "../../../services/store/frozen-json.ts"
import type { StoredMemory } from "../../../services/store/records.ts"
import { fromKeyText, keyText, sessionColumns, userColumns } from "../key-columns.ts"
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
    body: JSON.stringify(rest),
  }
}

/** The memory of a row. */
export function memoryOf({ body, superseded_by }: Pick<MemoryColumns, "body" | "superseded_by">): StoredMemory {
  const memory = JSON.parse(body) as StoredMemory
  return superseded_by === null ? memory : { ...memory, supersededBy: fromKeyText(superseded_by) }
}

/** A vector as bytes: 4 for each number, little-endian on every machine. */
export function vectorBytes(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true)
  return bytes
}

/** The vector of {@link vectorBytes}. */
export function vectorValues(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from({ length: bytes.byteLength >> 2 }, (_, at) => view.getFloat32(at * 4, true))
}
