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
export const edges: readonly string[] = ["node", "models", "mcp", "stores", "tokenizers", "testing"]

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
