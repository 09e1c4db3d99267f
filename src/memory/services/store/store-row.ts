import { checkType } from "../../../core/check-options.ts"
import type { HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { isRecord, isTexts } from "../../../core/json-access.ts"
import { blobId, bytesFromText } from "./blob.ts"
import type { Job } from "./job-runner.ts"
import type { Receipt } from "./receipt.ts"
import type { ProfileStatement, StoredMemory } from "./records.ts"
import { sessionRowId } from "./rows/row-tables.ts"
import type { SessionNote } from "./session-store.ts"

/**
 * One line of an export, the same on every store. Lines come by table in the order of {@link storeTables}: sessions by agent,
 * conversation and audience, each followed by its messages, its notes, and its blobs by id; memories by time, then id, each followed by its
 * vectors by model; users by id, each followed by its statements; receipts and jobs in the order in which they were first written.
 */
export type StoreRow =
  | ({ readonly table: "session"; readonly version: number; readonly state: Readonly<Record<string, unknown>> } & SessionKey)
  /** With `follows` it is set aside: the number of the message before it, counted from 0 among its session's messages; -1 for none. */
  | ({ readonly table: "message"; readonly message: HistoryMessage; readonly follows?: number } & SessionKey)
  /** Without `note`: a turn has taken it, and its id stays known. */
  | ({ readonly table: "note"; readonly id: string; readonly note?: SessionNote } & SessionKey)
  /** Bytes that a session holds, in base64. Without `bytes`: a line before this one has those of this id. */
  | ({ readonly table: "blob"; readonly id: string; readonly bytes?: string } & SessionKey)
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

/** A member's type: as `typeof` says it, or `audience`. */
type FieldType = "string" | "number" | "object" | "audience"

const ofSessionKey = { agent: "string", conversation: "string", audience: "audience" } as const
const speaker = { "speaker.id": "string", "speaker.name": "string" } as const

/** Types of the members that rows of each table must have beside `table`, by their paths. The tables stand in the order of an export. */
const fields: Readonly<Record<StoreRow["table"], Readonly<Record<string, FieldType>>>> = {
  session: { ...ofSessionKey, version: "number", state: "object" },
  message: {
    ...ofSessionKey,
    ...under("message", { role: "string", text: "string", turnId: "string", atMs: "number", ...speaker }),
  },
  note: { ...ofSessionKey, id: "string" },
  blob: { ...ofSessionKey, id: "string" },
  memory: {
    hash: "string",
    ...under("memory", { ...ofSessionKey, user: "string", id: "string", kind: "string", text: "string" }),
    ...under("memory", { turnId: "string", atMs: "number", ...speaker }),
  },
  vector: { agent: "string", memoryId: "string", model: "string", values: "string" },
  user: { agent: "string", user: "string", version: "number" },
  statement: {
    agent: "string",
    user: "string",
    ...under("statement", { name: "string", value: "string", turnId: "string", conversation: "string", audience: "audience" }),
    ...under("statement", { confidence: "number", atMs: "number" }),
  },
  receipt: {
    ...under("receipt", { ...under("key", { ...ofSessionKey, user: "string" }), turnId: "string", kind: "string" }),
    ...under("receipt", { outcome: "string", attempt: "number", startedMs: "number", durationMs: "number" }),
  },
  job: {
    ...under("job", { ...under("key", { ...ofSessionKey, user: "string" }), id: "string", kind: "string", turnId: "string" }),
    ...under("job", { atMs: "number", payload: "object" }),
    attempts: "number",
  },
}

function under(member: string, types: Readonly<Record<string, FieldType>>): Readonly<Record<string, FieldType>> {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [`${member}.${name}`, type]))
}

function isOfType(value: unknown, type: FieldType): boolean {
  if (type === "audience") return value === "private" || value === "group"
  return typeof value === type && value !== null
}

function memberAt(row: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), row)
}

/** The tables of an export, in its order. */
export const storeTables = Object.keys(fields) as readonly StoreRow["table"][]

/** The last line of an export: with the number of lines before it, so that a reader can tell if some are missing. */
export function endLine(lines: number): string {
  return JSON.stringify({ table: "end", lines })
}

/** The number that an {@link endLine} holds; `undefined` for any other line. */
export function linesBeforeEnd(line: string): number | undefined {
  const found = /^\s*\{"table":"end","lines":(\d{1,15})\}\s*$/.exec(line)
  return found ? Number(found[1]) : undefined
}

/**
 * Reads the lines of an export. Blank ones are left out, and so is an {@link endLine}, which older exports lack. Throws `store` for a
 * line that is no exported row, and for an end that counts other lines than there are.
 */
export async function readStoreRows(lines: AsyncIterable<string> | Iterable<string>): Promise<readonly StoreRow[]> {
  const isStream = typeof lines === "object" && lines !== null && Symbol.asyncIterator in lines
  if (!isStream) checkType("the lines to import", lines, "iterable")
  const rows: StoreRow[] = []
  const messages = new Map<string, number>()
  let number = 0
  let sinceEnd = 0
  for await (const line of lines) {
    number++
    checkType(`line ${number} to import`, line, "string")
    if (line.trim() === "") continue
    const told = linesBeforeEnd(line)
    if (told !== undefined) {
      if (told !== sinceEnd) throw fault(number, `it ends an export of ${told} lines, of which ${sinceEnd} are there`)
      sinceEnd = 0
      continue
    }
    sinceEnd++
    const row = readStoreRow(line, number)
    if (row.table === "message") {
      const session = sessionRowId(row)
      const before = messages.get(session) ?? 0
      const { follows = -1 } = row
      if (!Number.isInteger(follows) || follows < -1 || follows >= before)
        throw fault(number, `a message that is set aside follows one of the ${before} before it, or none (-1)`)
      messages.set(session, before + 1)
    }
    if (row.table === "blob" && row.bytes !== undefined && (await blobIdOf(row.bytes)) !== row.id)
      throw fault(number, `its bytes are not those of blob ${JSON.stringify(row.id)}`)
    rows.push(row)
  }
  return rows
}

/** Reads line `number` (from 1) of an export. Throws `store` for a line that is no exported row. */
export function readStoreRow(line: string, number: number): StoreRow {
  const row = parsed(line, number)
  if (typeof row !== "object" || row === null || !("table" in row)) throw fault(number, "no table is named")
  const table = storeTables.find((known) => known === row.table)
  if (table === undefined)
    throw fault(number, `the table ${JSON.stringify(row.table)} is unknown; there are ${storeTables.join(", ")}`)
  for (const [name, type] of Object.entries(fields[table])) {
    if (!isOfType(memberAt(row, name), type)) throw fault(number, `a row of ${table} needs ${name} (${type})`)
  }
  if (table === "vector" && !isVectorText(Reflect.get(row, "values"))) throw fault(number, "its values are no vector in base64")
  if (table === "memory" && !areKeys(memberAt(row, "memory.keys"))) throw fault(number, "its keys are none of a memory")
  return row as StoreRow
}

/** True for no keys, and for such as a memory has. */
function areKeys(keys: unknown): boolean {
  if (keys === undefined) return true
  const { words, dates = [], facts = [], subject = "", relation = "" } = isRecord(keys) ? keys : {}
  const isFact = (fact: unknown): boolean => isRecord(fact) && isTexts([fact.subject, fact.relation, fact.value ?? ""])
  return isTexts(words) && isTexts(dates) && isTexts([subject, relation]) && Array.isArray(facts) && facts.every(isFact)
}

/** The id of bytes in base64; undefined where the text is none. */
async function blobIdOf(text: string): Promise<string | undefined> {
  try {
    return await blobId(bytesFromText(text))
  } catch {
    return undefined
  }
}

function parsed(line: string, number: number): unknown {
  try {
    return JSON.parse(line, (name, value: unknown) => {
      // JSON has numbers that are too large for a program, and no store takes the infinity that they become.
      if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`the number of ${name} is too large`)
      return value
    })
  } catch (cause) {
    throw fault(number, `it is no JSON (${messageOf(cause)})`)
  }
}

function fault(number: number, what: string): PromptStrataError {
  const message = `expected an exported row in line ${number}, but ${what}.`
  const hint = "Nothing of this line was imported; export again from the store that it came from."
  return new PromptStrataError("store", message, { hint, evidence: { line: number } })
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

function isVectorText(text: unknown): boolean {
  return typeof text === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(text)
}
