import { flushCompileCache } from "node:module"
import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"
import { numberedText } from "./numbered-text.ts"

/** Writes text after text to MEMORY.md and prints the number of each acknowledged one: `node write-child.ts <folder> <first>`. */
const [, , folder = "", first = ""] = process.argv
const workspace = await openFolder(folder)
// Written at a process's end otherwise, and this one is killed.
flushCompileCache()
for (let number = Number(first); ; number++) {
  await workspace.write("MEMORY.md", numberedText(number), { by: "child" })
  process.stdout.write(`${number}\n`)
}
