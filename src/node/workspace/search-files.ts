import { PromptStrataError } from "../../core/errors.ts"
import { statPath, type WalkOptions, walkFiles } from "./list-files.ts"
import { readWorkspaceFile } from "./read-file.ts"
import type { SearchOutcome, WorkspaceEntry } from "./workspace.ts"
import type { WorkspaceRoot } from "./workspace-root.ts"

/** One search reads at most this much. */
const maxSearchBytes = 32 * 1024 * 1024
const maxFiles = 5_000
const maxLineUnits = 500

/** A search in a folder or in one file. */
export interface SearchOptions extends WalkOptions {
  readonly text: string
  readonly path: string
  readonly ignoreCase: boolean
  /** The largest number of matches. */
  readonly limit: number
}

/** Finds lines that hold a text literally, file by file. */
export async function searchFiles(root: WorkspaceRoot, options: SearchOptions): Promise<SearchOutcome> {
  const { text, path, limit, signal } = options
  if (text === "") throw new PromptStrataError("usage", "Expected a text to search for, found an empty one.")
  const matches: SearchOutcome["matches"][number][] = []
  const skipped: string[] = []
  let [files, sizeBytes] = [0, 0]
  for await (const entry of entriesAt(root, path, options)) {
    if (entry.kind === "folder") continue
    files += 1
    sizeBytes += entry.sizeBytes
    if (files > maxFiles || sizeBytes > maxSearchBytes) return { matches, skipped, truncated: true }
    const found = await textOf(root, entry.path, signal)
    if (found === undefined) skipped.push(entry.path)
    for (const match of linesWith(found ?? "", options)) {
      if (matches.length >= limit) return { matches, skipped, truncated: true }
      matches.push({ path: entry.path, ...match })
    }
  }
  return { matches, skipped, truncated: false }
}

/** The file itself, or everything below the folder. */
async function* entriesAt(root: WorkspaceRoot, path: string, options: SearchOptions): AsyncGenerator<WorkspaceEntry> {
  const entry = await statPath(root, path)
  if (entry?.kind === "file") yield entry
  else yield* walkFiles(root, path, options)
}

/** `undefined` for a file that is not text, is too large, or cannot be opened. */
async function textOf(root: WorkspaceRoot, path: string, signal: AbortSignal | undefined): Promise<string | undefined> {
  try {
    return (await readWorkspaceFile(root, path, signal)).text
  } catch (error) {
    if (PromptStrataError.isInstance(error) && error.code === "aborted") throw error
    return undefined
  }
}

function* linesWith(text: string, { text: wanted, ignoreCase }: SearchOptions): Generator<{ line: number; text: string }> {
  const fold = (one: string) => (ignoreCase ? one.toLowerCase() : one)
  const needle = fold(wanted)
  for (const [at, line] of text.split("\n").entries()) {
    const found = fold(line).indexOf(needle)
    if (found >= 0) yield { line: at + 1, text: around(line.replace(/\r$/, ""), found) }
  }
}

/** A long line is cut around its first hit, between whole characters. */
function around(line: string, at: number): string {
  if (line.length <= maxLineUnits) return line
  const from = Math.max(0, Math.min(at - maxLineUnits / 2, line.length - maxLineUnits))
  return line.slice(from, from + maxLineUnits).replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")
}
