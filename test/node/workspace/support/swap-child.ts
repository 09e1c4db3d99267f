import { renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * Swaps folders and a file of a workspace for links to the outside and back, as fast as it can, until the process is ended:
 * `node swap-child.ts <workspace> <outside> <folder>…`.
 */
const [, , workspace = "", outside = "", ...folders] = process.argv
const at = (name: string) => join(workspace, name)

/** A step may fail because the workspace creates a folder again at the same time. The next round repeats it. */
function tryTo(step: () => void): void {
  try {
    step()
  } catch {
    // The next round repeats it.
  }
}

process.stdout.write("swapping\n")
for (;;) {
  for (const folder of folders) {
    tryTo(() => renameSync(at(folder), at(`${folder}.aside`)))
    tryTo(() => symlinkSync(join(outside, "folder"), at(folder)))
    tryTo(() => unlinkSync(at(folder)))
    tryTo(() => renameSync(at(`${folder}.aside`), at(folder)))
  }
  tryTo(() => symlinkSync(join(outside, "secret.md"), at("link")))
  tryTo(() => renameSync(at("link"), at("file.md")))
  tryTo(() => writeFileSync(at("plain"), "inside"))
  tryTo(() => renameSync(at("plain"), at("file.md")))
}
