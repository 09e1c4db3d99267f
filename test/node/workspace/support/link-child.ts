import { linkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Gives a file outside a second name in the workspace and takes it away again, as fast as it can, until the process is ended. In
 * between there is an ordinary file of that name: `node link-child.ts <workspace> <outside file>`.
 */
const [, , workspace = "", outside = ""] = process.argv
const name = join(workspace, "file.md")

process.stdout.write("linking\n")
for (;;) {
  unlinkSync(name)
  linkSync(outside, name)
  unlinkSync(name)
  writeFileSync(name, "inside")
}
