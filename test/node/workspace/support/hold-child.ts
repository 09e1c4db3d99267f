import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"

/** Locks a workspace until the process ends: `node hold-child.ts <folder>`. */
const workspace = await openFolder(process.argv[2] ?? "")
await workspace.update(
  "MEMORY.md",
  () => {
    process.stdout.write("holding\n")
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  },
  { by: "child" },
)
