import { pathIn, roomOf, shippedPromptsFolder, wings } from "../../.ci/rooms.ts"

/** The rooms below the edges, from the bottom up. A room imports its own row and the rows below it. */
export const layerOrder: readonly (readonly string[])[] = wings.filter(({ edge }) => !edge).flatMap(({ rows }) => rows)

/** The rooms that may do I/O, but for `cli`. None imports another one. */
export const edges: readonly string[] = wings
  .filter(({ edge }) => edge)
  .flatMap(({ rows }) => rows.flat())
  .filter((room) => room !== "cli")

/** The files of an edge that other edges import: whoever reads, changes and writes a file does it under one lock, and the package's folder is found in one way. */
export const sharedFiles: readonly string[] = [pathIn("node", "workspace/update-file.ts"), pathIn("node", "shipped-files.ts")]

/**
 * The files beside the room `node`'s `workspace/` that write to the disk: a database, which has its own locks, and new files, which fail
 * when there is one of that name or hold nothing of what was there.
 */
export const fileWriters: readonly string[] = [
  pathIn("cli", "commands/card.ts"),
  pathIn("cli", "commands/scaffold.ts"),
  pathIn("cli", "memory/export-import.ts"),
  pathIn("cli", "simulate/live.ts"),
  pathIn("server", "inspector/kept-records.ts"),
  pathIn("stores", "sql/maintenance/repair-rows.ts"),
  pathIn("stores", "sqlite/store-file.ts"),
]

/** What may be imported as a module loads, anywhere: small, without I/O, in every JavaScript runtime. */
export const lightPackages: readonly string[] = ["leven", "@standard-schema/spec"]

/** Written by a script, so bound by no rule on length. */
export const generatedFolder = `${shippedPromptsFolder}/`

/** `src/core/x.ts` → `core`; the files of `src/` itself → `""`; of a folder that is no room → its path. */
export function folderOf(file: string): string {
  return roomOf(file) ?? file.split("/").slice(1, -1).join("/")
}

/** The row of a room: edges stand above all rows, `src/index.ts` between them, `cli` on top. Undefined where it has no place. */
export function rowOf(folder: string): number | undefined {
  const row = layerOrder.findIndex((folders) => folders.includes(folder))
  if (row >= 0) return row
  if (folder === "") return layerOrder.length
  if (edges.includes(folder)) return layerOrder.length + 1
  return folder === "cli" ? layerOrder.length + 2 : undefined
}
