import { z } from "zod"
import type { WriteRecord } from "./workspace.ts"

/** One change as it lies on the disk: the record, and what the file held before. */
export interface HistoryEntry {
  readonly record: WriteRecord
  /** Absent where there was no file. */
  readonly before: Uint8Array | undefined
  /** The name of the temporary file that becomes the new content, beside it. */
  readonly temporary: string
}

const header = z.object({
  version: z.literal(1),
  record: z.object({
    id: z.string(),
    path: z.string(),
    by: z.string(),
    atMs: z.number(),
    beforeHash: z.string().optional(),
    afterHash: z.string().optional(),
    diff: z.string(),
    undoes: z.string().optional(),
  }),
  temporary: z.string(),
  beforeBytes: z.number().optional(),
})

/** One line of JSON, then the former bytes as they were. */
export function printEntry({ record, before, temporary }: HistoryEntry): Uint8Array {
  const line = new TextEncoder().encode(`${JSON.stringify({ version: 1, record, temporary, beforeBytes: before?.length })}\n`)
  const bytes = new Uint8Array(line.length + (before?.length ?? 0))
  bytes.set(line)
  bytes.set(before ?? [], line.length)
  return bytes
}

/** The entry of a file of the history; `undefined` for one that was not written to its end. */
export function parseEntry(bytes: Uint8Array): HistoryEntry | undefined {
  const end = bytes.indexOf(0x0a)
  if (end < 0) return undefined
  const found = header.safeParse(jsonOf(bytes.subarray(0, end)))
  if (!found.success) return undefined
  const { record, temporary, beforeBytes } = found.data
  const rest = bytes.subarray(end + 1)
  if (rest.length !== (beforeBytes ?? 0)) return undefined
  return { record: record as WriteRecord, temporary, before: beforeBytes === undefined ? undefined : rest }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}
