import { PromptStrataError } from "../../../../src/core/errors.ts"
import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"

/** Tries what another user may do in a workspace, and prints the outcomes as JSON: `node nobody-child.ts <workspace> <user>`. */
const [, , folder = "", user = ""] = process.argv
// The source was loaded as root, who may read it. From here on the process is the other user.
await import("node:sqlite")
process.setgid?.(Number(user))
process.setgroups?.([])
process.setuid?.(Number(user))

async function outcome(task: Promise<unknown>): Promise<unknown> {
  try {
    await task
    return "done"
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return [error.code, "code" in error.evidence ? error.evidence.code : undefined]
    throw error
  }
}

const workspace = await openFolder(folder)
const found: Record<string, unknown> = {}
for (const name of ["mine.md", "new.md", "theirs.md", "read-only.md", "secret.md", "closed/a.md"]) {
  found[`write ${name}`] = await outcome(workspace.write(name, "new", { by: "nobody" }))
}
for (const name of ["read-only.md", "secret.md", "closed/a.md"]) found[`read ${name}`] = await outcome(workspace.read(name))
found.list = (await workspace.list(".", { depth: 3 })).entries.map(({ path }) => path)
process.stdout.write(`${JSON.stringify(found)}\n`)
