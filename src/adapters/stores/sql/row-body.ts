import { crc32 } from "node:zlib"
import { PromptStrataError } from "../../../core/errors.ts"
import type { ErrorEvidence } from "../../../core/evidence/error-evidence.ts"

/** A row whose body is read: its table, and the columns that name it. */
export interface RowName {
  readonly table: string
  readonly columns: Readonly<Record<string, string | number>>
}

/** A row whose body cannot be read, and what is lost with it. */
export interface DamagedRow extends RowName {
  readonly body: string
  readonly lost: string
}

/** The digits of a checksum. JSON allows them after a value, so programs that know no checksum read the body too. */
const digits = " \t\n\r"
const checksumLength = 16

/**
 * A value as the text of a row: JSON, and behind it the checksum of that JSON as 16 blank characters. Older versions read such a row,
 * and rows of older versions have no checksum: so no row has to be changed, and processes of both versions share a store.
 */
export function storedBody(value: unknown): string {
  const json = JSON.stringify(value)
  return json + checksumOf(json)
}

/** The value of a body. Throws `store` with the row's name if the JSON is broken or does not have its checksum. */
export function readBody<T>(body: string, row: RowName): T {
  // A damaged file can hold another type than the column's.
  if (typeof body !== "string") throw damagedRow(row, "no text")
  const json = body.trimEnd()
  const checksum = body.slice(json.length)
  if (checksum !== "" && checksum !== checksumOf(json)) throw damagedRow(row, "JSON with another checksum")
  try {
    return JSON.parse(json) as T
  } catch (cause) {
    throw damagedRow(row, "broken JSON", cause)
  }
}

/** The checksum of bytes, for a column of its own: their CRC-32 as hexadecimal digits. */
export const bytesChecksum = (bytes: Uint8Array): string => crc32(bytes).toString(16)

function checksumOf(json: string): string {
  const sum = crc32(json)
  let text = ""
  for (let at = 0; at < checksumLength; at += 1) text += digits[(sum >>> (2 * at)) & 3]
  return text
}

/** `messages (agent fay, conversation chat, position 3)` */
export function rowText({ table, columns }: RowName): string {
  const parts = Object.entries(columns).map(([name, value]) => `${name} ${value}`)
  return `${table} (${parts.join(", ")})`
}

/** Advice for a damaged row. */
export const damagedHint =
  "Go back to a backup, or run `promptstrata doctor --repair FILE`: it moves damaged rows to a new file and says what is lost. Other rows can be used."

/** The error that a row is damaged. `found` stands where its body was expected. */
export function damagedRow(row: RowName, found: string, cause?: unknown): PromptStrataError {
  const evidence: ErrorEvidence["store"] = { table: row.table, row: row.columns }
  const message = `Expected the body that was written, found ${found}, in ${rowText(row)}. The row is damaged.`
  return new PromptStrataError("store", message, { cause, hint: damagedHint, evidence })
}
