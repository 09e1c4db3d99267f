import { createHash } from "node:crypto"
import { PromptStrataError } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import type { LineOrigin } from "../../memory/services/background/document-memory.ts"
import { documentLines } from "./learned-lines.ts"

/** A line that background work wrote into a document, without its words. */
export interface WrittenLine {
  /** The document's path. */
  readonly path: string
  /** SHA-256 of the line. A line that somebody changed has another one: it is theirs from then on. */
  readonly hash: string
  readonly field?: string | undefined
  /** True from the moment in which its turn was forgotten until the document is without it. */
  readonly forgotten?: true
  /** The line that comes back in its place then: what the same field said before. */
  readonly instead?: string | undefined
  readonly origins: readonly LineOrigin[]
}

/** A change of a document that waits until a person has allowed it. It holds the words of the lines. */
export interface WaitingTidy {
  readonly path: string
  readonly by: string
  /** Lines that are to become one, as they stand in the document. */
  readonly merges: readonly { readonly from: readonly string[]; readonly into: string }[]
}

/** The record that lies beside the documents, in the folder's `.promptstrata`: which lines are not a person's, and what they rest on. */
export interface LearnedRecord {
  readonly lines: readonly WrittenLine[]
  readonly waiting: readonly WaitingTidy[]
  /** The number of written lines of a document when it was last tidied, or tried. */
  readonly tidied: Readonly<Record<string, number>>
}

export const recordName = "learned.json"

export const nothingLearned: LearnedRecord = { lines: [], waiting: [], tidied: {} }

export function lineHash(line: string): string {
  return createHash("sha256").update(line).digest("hex")
}

/** Reads a record; undefined if it is damaged. Throws `store` if a newer version of the library wrote it. */
export function parseRecord(text: string | undefined): LearnedRecord | undefined {
  if (text === undefined) return nothingLearned
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value) && typeof value.version === "number" && value.version > 1) throw newer(value.version)
    if (!isRecord(value) || value.version !== 1) return undefined
    const { lines, waiting, tidied } = value
    if (!Array.isArray(lines) || !lines.every(isLine) || !isRecord(tidied)) return undefined
    if (!Array.isArray(waiting) || !waiting.every(isWaiting)) return undefined
    return value as unknown as LearnedRecord
  } catch (error) {
    if (PromptStrataError.isInstance(error)) throw error
    return undefined
  }
}

function newer(version: number): PromptStrataError {
  const message = `.promptstrata/${recordName}: expected version 1, found version ${version}: a newer promptstrata has written it.`
  return new PromptStrataError("store", message, { hint: "Nothing was changed. Start it again with that version." })
}

export function printRecord({ lines, waiting, tidied }: LearnedRecord): string {
  return `${JSON.stringify({ version: 1, lines, waiting, tidied })}\n`
}

function isLine(value: unknown): boolean {
  if (!isRecord(value) || typeof value.path !== "string" || typeof value.hash !== "string") return false
  return Array.isArray(value.origins) && value.origins.every(isRecord)
}

function isWaiting(value: unknown): boolean {
  if (!isRecord(value) || typeof value.path !== "string" || typeof value.by !== "string") return false
  const isMerge = (merge: unknown): boolean =>
    isRecord(merge) &&
    typeof merge.into === "string" &&
    Array.isArray(merge.from) &&
    merge.from.every((line) => typeof line === "string")
  return Array.isArray(value.merges) && value.merges.every(isMerge)
}

/** Adds a line, or its origins to the same line. */
export function withLine(record: LearnedRecord, line: WrittenLine): LearnedRecord {
  const known = record.lines.find(({ path, hash }) => path === line.path && hash === line.hash)
  const others = record.lines.filter((each) => each !== known)
  const origins = [...(known?.origins ?? []), ...line.origins]
  const distinct = [...new Map(origins.map((origin) => [JSON.stringify(origin), origin])).values()]
  return { ...record, lines: [...others, { ...line, origins: distinct }] }
}

/** Lines that stand in a document no more, but that an undo can bring back: so many of each document are known. */
const keptGone = 1_000

/** Drops the oldest of too many lines that stand in a document no more. Those that stand there stay, so that forgetting finds them. */
export function withoutOldest(record: LearnedRecord, path: string, text: string): LearnedRecord {
  const standing = new Set(documentLines(text).map(lineHash))
  const gone = record.lines.filter((line) => line.path === path && !standing.has(line.hash))
  if (gone.length <= keptGone) return record
  const dropped = new Set(gone.slice(0, -keptGone))
  return { ...record, lines: record.lines.filter((line) => !dropped.has(line)) }
}
