import { join } from "node:path"
import { fileApprovals } from "../../../../src/adapters/mcp/approvals.ts"
import { scheduleTools } from "../../../../src/node/schedule-tools.ts"

/** Adds entries `<name>:<number>` to a schedule and approvals of that name to a file: `node schedule-child.ts <folder> <name> <count>`. */
const [, , folder = "", name = "", count = ""] = process.argv
const clock = { nowMs: () => 0 }
const [add] = scheduleTools({ folder, clock, locale: "en" })
const approvals = fileApprovals(join(folder, "approvals.json"))
const context = {
  signal: new AbortController().signal,
  key: { agent: "a", conversation: "c", audience: "private", user: "u" },
  turnId: "t",
  clock,
} as const
for (let number = 0; number < Number(count); number++) {
  await add.execute({ title: `${name}:${number}`, schedule_time: "now" }, context)
  await approvals.save({ [`${name}.${number}`]: "approved" })
}
