import type { HistoryMessage, SessionKey } from "../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import type { Job } from "./job-runner.ts"
import type { Receipt } from "./receipt.ts"
import type { ProfileStatement, StoredMemory } from "./records.ts"
import type { SessionNote } from "./session-store.ts"

/**
 * One line of an export, the same on every store. Lines come by table in the order of {@link storeTables}: sessions by agent,
 * conversation and audience, each followed by its messages and its notes; memories by time, then id, each followed by its
 * vectors by model; users by id, each followed by its statements; receipts and jobs in the order in which they were first written.
 */
export type StoreRow =
  | ({ readonly table: "session"; readonly version: number; readonly state: Readonly<Record<string, unknown>> } & SessionKey)
  | ({ readonly table: "message"; readonly message: HistoryMessage } & SessionKey)
  /** Without `note`: a turn has taken it, and its id stays known. */
  | ({ readonly table: "note"; readonly id: string; readonly note?: SessionNote } & SessionKey)
  | { readonly table: "memory"; readonly hash: string; readonly memory: StoredMemory }
  /** `values` are 32-bit floats, little-endian, in base64. */
  | {
      readonly table: "vector"
      readonly agent: string
      readonly memoryId: string
      readonly model: string
      readonly values: string
    }
  | { readonly table: "user"; readonly agent: string; readonly user: string; readonly version: number }
  | { readonly table: "statement"; readonly agent: string; readonly user: string; readonly statement: ProfileStatement }
  | { readonly table: "receipt"; readonly receipt: Receipt }
  /** With `error` it is a dead letter; without, it waits. */
  | { readonly table: "job"; readonly job: Job; readonly attempts: number; readonly error?: string }

/** The tables of an export, in its order. */
export const storeTables = [
  "session",
  "message",
  "note",
  "memory",
  "vector",
  "user",
  "statement",
  "receipt",
  "job",
] as const satisfies readonly StoreRow["table"][]

/** A session's key without further members, in the order in which an export writes them. */
export function ofSession({ agent, conversation, audience }: SessionKey): SessionKey {
  return { agent, conversation, audience }
}

/** Types of the members that rows of each table must have beside `table`. */
const fields: Readonly<Record<StoreRow["table"], Readonly<Record<string, "string" | "number" | "object">>>> = {
  session: { agent: "string", conversation: "string", audience: "string", version: "number", state: "object" },
  message: { agent: "string", conversation: "string", audience: "string", message: "object" },
  note: { agent: "string", conversation: "string", audience: "string", id: "string" },
  memory: { hash: "string", memory: "object" },
  vector: { agent: "string", memoryId: "string", model: "string", values: "string" },
  user: { agent: "string", user: "string", version: "number" },
  statement: { agent: "string", user: "string", statement: "object" },
  receipt: { receipt: "object" },
  job: { job: "object", attempts: "number" },
}

/** Reads line `number` (from 1) of an export. Throws `store` for a line that is no exported row. */
export function readStoreRow(line: string, number: number): StoreRow {
  const row = parsed(line, number)
  if (typeof row !== "object" || row === null || !("table" in row)) throw fault(number, "no table is named")
  const table = storeTables.find((known) => known === row.table)
  if (table === undefined)
    throw fault(number, `the table ${JSON.stringify(row.table)} is unknown; there are ${storeTables.join(", ")}`)
  for (const [name, type] of Object.entries(fields[table])) {
    const value: unknown = Reflect.get(row, name)
    if (typeof value !== type || value === null) throw fault(number, `a row of ${table} needs ${name} (${type})`)
  }
  return row as StoreRow
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw fault(number, `it is no JSON (${messageOf(cause)})`)
  }
}

function fault(number: number, what: string): PromptStrataError {
  return new PromptStrataError("store", `expected an exported row in line ${number}, but ${what}.`, {
    hint: "Nothing of this line was imported; export again from the store that it came from.",
    evidence: { line: number },
  })
}

/** A vector as text: 32-bit floats, little-endian, in base64. */
export function vectorToText(values: Float32Array): string {
  const bytes = new Uint8Array(values.length * 4)
  const view = new DataView(bytes.buffer)
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true)
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** The vector that {@link vectorToText} wrote, bit for bit. */
export function vectorFromText(text: string): Float32Array {
  const binary = atob(text)
  const view = new DataView(new ArrayBuffer(binary.length))
  for (let at = 0; at < binary.length; at++) view.setUint8(at, binary.charCodeAt(at))
  return Float32Array.from({ length: Math.floor(binary.length / 4) }, (_, at) => view.getFloat32(at * 4, true))
}
