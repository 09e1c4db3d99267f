import { describe, expect, test } from "vitest"
import type { ModelRequest } from "../../../src/core/model/language-model.ts"
import type { Assembly } from "../../../src/core/span.ts"
import { countingIds } from "../../../src/testing/deterministic-ports.ts"
import { scriptedModel } from "../../../src/testing/scripted-model.ts"
import { callTool } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"
import { isLong } from "../../support/size.ts"
import { type Rehearsal, rehearse } from "../../support/virtual-context.ts"

const dayMs = 86_400_000
/** Only a long run lives through more than the first days. */
const allDays = isLong ? 60 : 10
const turnsADay = 8
const budgetTokens = 6_000
const startMs = Date.UTC(2026, 0, 5, 8, 0)

const subjects = [
  "the garden",
  "a bread oven",
  "her sister's wedding",
  "the choir",
  "a broken bicycle",
  "the tax letter",
  "a lost cat",
]
const long = "I thought about it for a while. There are three ways to go about it, and each has its price. ".repeat(8)

/** The user's message of a turn. */
function said(day: number, turn: number): string {
  const subject = subjects[(day * 3 + (turn >> 2)) % subjects.length]
  return turn % 4 === 0 ? `Day ${day}: let us talk of ${subject}.` : `More of ${subject}, point ${turn % 4}.`
}

/** An answer with its report: the model must name what of its workspace it used (R16). */
const finish = (message: string, used: readonly string[] = []) =>
  JSON.stringify({ action: "finish", message, tool: "report_use", args: { used } })

/** The model's answers to all steps. Every third day it puts an item into the workspace; it uses only one of them again. */
function steps(day: number, turn: number): readonly string[] {
  const answer = turn % 3 === 0 ? `${long}So much for ${day}.${turn}.` : `Yes, ${day}.${turn}.`
  if (turn === 0 && day === 0)
    return [callTool("put_into_workspace", { id: "%[plan.md]", text: "the plan of the year" }), finish(answer)]
  if (turn === 1 && day % 3 === 0)
    return [callTool("put_into_workspace", { id: `%[note-${day}.md]`, text: `a note of day ${day}` }), finish(answer)]
  if (turn === 2 && day === 4)
    return [callTool("record_event", { text: "Her sister got married by the lake", importance: 10 }), finish(answer)]
  if (turn === 5 && day % 10 === 9) return [callTool("pull_messages", { number: 3, from: "20260105" }), finish(answer)]
  if (turn === 3) return [finish(answer, ["plan.md"])]
  return [finish(answer)]
}

interface Life {
  readonly requests: readonly ModelRequest[]
  readonly shown: ReadonlyMap<number, Assembly>
  readonly rehearsal: Rehearsal
}

/** Sixty days of one conversation. Before each day in `restarts` the agent is made anew from its store. */
async function live(
  dialect: string,
  { days = allDays, restarts = [] as readonly number[], preview = [] as readonly number[] } = {},
): Promise<Life> {
  const store = createIdleStore()
  const requests: ModelRequest[] = []
  const shown = new Map<number, Assembly>()
  const ids = countingIds()
  const begin = (fromDay: number) => {
    const answers = Array.from({ length: (days - fromDay) * turnsADay }, (_, at) =>
      steps(fromDay + Math.floor(at / turnsADay), at % turnsADay),
    ).flat()
    const model = scriptedModel(
      answers.map((answer) => (request: ModelRequest) => {
        requests.push(request)
        return answer
      }),
    )
    const profile = { dialect, budget: { tokens: budgetTokens }, history: { contextCount: 20, window: "steps" as const } }
    return rehearse({ model, profile, store, ids, startMs: startMs + fromDay * dayMs })
  }
  let rehearsal = begin(0)
  for (let day = 0; day < days; day++) {
    if (restarts.includes(day)) rehearsal = begin(day)
    for (let turn = 0; turn < turnsADay; turn++) {
      const { trace } = await rehearsal.say(said(day, turn))
      expect(trace.error).toBeUndefined()
      expectToExtend(
        trace.steps.map(({ assembly }) => assembly),
        dialect,
      )
      rehearsal.clock.advance((turn === 3 ? 240 : 5) * 60_000)
    }
    if (preview.includes(day)) shown.set(day, await rehearsal.session.preview("And now?"))
    rehearsal.clock.advance(startMs + (day + 1) * dayMs - rehearsal.clock.nowMs())
  }
  return { requests, shown, rehearsal }
}

const textOf = ({ messages }: Pick<Assembly, "messages">) =>
  messages.map(({ role, content }) => `<${role}>\n${content}`).join("\n\n")

/** Within a turn every planner step extends the last one, in dialects that append. */
function expectToExtend(assemblies: readonly Assembly[], dialect: string): void {
  if (dialect === "fay") return
  for (const [at, assembly] of assemblies.entries()) {
    const before = assemblies[at - 1]
    if (before) expect(textOf(assembly).startsWith(textOf(before))).toBe(true)
  }
}

/** The share of each request that is the same as in the request before. */
function unchangedShare(requests: readonly ModelRequest[]): number {
  let [same, all] = [0, 0]
  for (const [at, request] of requests.entries()) {
    const before = requests[at - 1]
    if (before === undefined) continue
    const [one, other] = [textOf(before), textOf(request)]
    let length = 0
    while (length < one.length && one[length] === other[length]) length++
    same += length
    all += other.length
  }
  return same / all
}

/** The prompt from the events on; the part before never changes. */
function remembered(assembly: Assembly | undefined): string {
  const text = assembly ? textOf(assembly) : ""
  return `${text.slice(text.indexOf("<event>"))}\n`
}

describe(`${allDays} days with a virtual context`, () => {
  test("R11–R23: what is remembered, what faded and what rolled up stands in the prompts of chosen days; a restart changes no byte", async () => {
    const chosen = [0, 9, 33, 59].filter((day) => day < allDays)
    const whole = await live("root", { preview: chosen })
    for (const day of chosen)
      await expect(remembered(whole.shown.get(day))).toMatchFileSnapshot(
        `__snapshots__/day-${String(day + 1).padStart(2, "0")}.md`,
      )
    const restarted = await live("root", { days: Math.min(20, allDays), restarts: [7, 13], preview: [0, 9] })
    expect(restarted.requests.map(textOf)).toEqual(whole.requests.slice(0, restarted.requests.length).map(textOf))
    expect([...restarted.shown.values()].map(textOf)).toEqual([0, 9].map((day) => textOf(whole.shown.get(day) as Assembly)))

    if (!isLong) return
    const state = await whole.rehearsal.state()
    expect(state.events.filter(({ grain }) => grain === "month").map(({ stamp }) => stamp)).toEqual(["2026年1月", "2026年2月"])
    expect(state.events.filter(({ grain }) => grain === "day").length).toBeGreaterThanOrEqual(58)
    expect(state.workspace.map(({ id }) => id)).toContain("plan.md")
    expect(state.workspace.map(({ id }) => id)).not.toContain("note-3.md")
    expect(remembered(whole.shown.get(59))).toContain("married by the lake")

    const tokens = whole.requests.map(({ assembly }) => (assembly?.tokens ?? 0) + (assembly?.overheadTokens ?? 0))
    expect(Math.max(...tokens)).toBeLessThanOrEqual(budgetTokens)
    const [early, late] = [tokens.slice(160, 240), tokens.slice(-80)].map((some) => Math.max(...some))
    expect(late).toBeLessThanOrEqual((early ?? 0) * 1.25)
  })

  test("the share of each request that is unchanged is told for each order of prompts", async () => {
    const shares: Record<string, number> = {}
    for (const dialect of ["root", "layered", "fay"]) {
      const { requests } = await live(dialect, { days: 15 })
      shares[dialect] = Math.round(unchangedShare(requests) * 100) / 100
    }
    await expect(`${JSON.stringify(shares, null, 2)}\n`).toMatchFileSnapshot("__snapshots__/unchanged-shares.json")
  })
})
