import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"

/** Appends lines `<name>:<number>` to MEMORY.md, one edit each: `node edit-child.ts <folder> <name> <edits>`. */
const [, , folder = "", name = "", edits = ""] = process.argv
const workspace = await openFolder(folder, { lockTimeoutMs: 300_000, maxFileBytes: 4 * 1024 * 1024 })
for (let number = 0; number < Number(edits); number++) {
  await workspace.update("MEMORY.md", (current) => `${current?.text ?? ""}${name}:${number}\n`, { by: name })
}
