/** The folders of `src/` from the bottom up. A folder imports its own row and the rows below it. */
export const layerOrder: readonly (readonly string[])[] = [
  ["core"],
  ["template", "encode", "stack", "model"],
  ["dialect", "tools", "reply", "layers"],
  ["assemble"],
  ["services", "forgetting", "profile", "lint", "trace"],
  ["turn"],
  ["agent"],
]

/** The folders that may do I/O. None imports another one. */
export const edges: readonly string[] = ["node", "models", "mcp", "stores", "tokenizers", "testing", "bots", "server"]

/** The one file of an edge that other edges import: whoever reads, changes and writes a file does it there, under one lock. */
export const sharedFile = "src/node/workspace/update-file.ts"

/**
 * The files beside `src/node/workspace/` that write to the disk: a database, which has its own locks, and new files, which fail
 * when there is one of that name or hold nothing of what was there.
 */
export const fileWriters: readonly string[] = [
  "src/cli/commands/card.ts",
  "src/cli/commands/scaffold.ts",
  "src/cli/memory/export-import.ts",
  "src/server/inspector/kept-records.ts",
  "src/stores/sql/maintenance/repair-rows.ts",
  "src/stores/sqlite/store-file.ts",
  "src/testing/recording/record-model.ts",
]

/** What may be imported as a module loads, anywhere: small, without I/O, in every JavaScript runtime. */
export const lightPackages: readonly string[] = ["leven", "@standard-schema/spec"]

/** Written by a script, so bound by no rule on length. */
export const generatedFolder = "src/dialect/shipped-prompts/"

/** `src/core/x.ts` → `core`; the files of `src/` itself → `""`. */
export function folderOf(file: string): string {
  const parts = file.split("/")
  return parts.length > 2 ? (parts[1] ?? "") : ""
}

/** The row of a folder: edges stand above all rows, `src/index.ts` between them, `cli` on top. Undefined where it has no place. */
export function rowOf(folder: string): number | undefined {
  const row = layerOrder.findIndex((folders) => folders.includes(folder))
  if (row >= 0) return row
  if (folder === "") return layerOrder.length
  if (edges.includes(folder)) return layerOrder.length + 1
  return folder === "cli" ? layerOrder.length + 2 : undefined
}
