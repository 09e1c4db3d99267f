import { appendFileSync } from "node:fs"
import { openStore } from "../../../../../src/adapters/stores/index.ts"
import { createAgent } from "../../../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../../../src/testing/index.ts"

/** The work of a child: it asks, or it answers; `hangs` lets the tool never end. */
export interface ApprovalWork {
  readonly folder: string
  readonly marks: string
  readonly approves?: string
  readonly hangs?: boolean
  readonly model: readonly string[]
}

const { folder, marks, approves, hangs, model }: ApprovalWork = JSON.parse(process.argv[2] ?? "{}")

const tell = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`)

const pay = defineTool({
  name: "pay",
  description: "sends money",
  needsApproval: true,
  async execute() {
    appendFileSync(marks, "paid\n")
    tell({ running: true })
    if (hangs) await new Promise(() => undefined)
    return "paid"
  },
})

const store = await openStore(folder)
const profile = resolveProfile({ name: "Mira", dialect: "layered", persona: "You are Mira.", locale: "en" })
const agent = createAgent({ profile, model: scriptedModel(model), tools: [pay], store, runJobs: false })
const session = agent.session("home")
const result = await (approves === undefined ? session.send("Pay.") : session.approve(approves)).result
tell(
  result.ok ? { text: result.text, approvals: result.approvals } : { code: result.error.code, evidence: result.error.evidence },
)
// A child that asked is killed by its parent, in the middle of everything.
if (approves === undefined) setInterval(() => undefined, 1_000)
else await agent.close().then(() => store.close())
