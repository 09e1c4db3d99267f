import { expect, test } from "vitest"
import type { HistoryMessage } from "../../../../src/core/conversation.ts"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import { Memo } from "../../../../src/core/memo.ts"
import { newEvent } from "../../../../src/memory/forgetting/events/event-record.ts"
import { zonedCalendar } from "../../../../src/memory/forgetting/events/zoned-calendar.ts"
import { readState, type VirtualContextState } from "../../../../src/memory/forgetting/plugin/context-state.ts"
import { compressTool } from "../../../../src/memory/forgetting/plugin/tools/compress-tool.ts"
import { type ContextToolParts, contextToolNames } from "../../../../src/memory/forgetting/plugin/tools/context-tool.ts"
import { recordEventTool, searchEventsTool } from "../../../../src/memory/forgetting/plugin/tools/event-tools.ts"
import { pullMessagesTool, searchMemoriesTool } from "../../../../src/memory/forgetting/plugin/tools/lookup-tools.ts"
import {
  discardPulledTool,
  putIntoWorkspaceTool,
  reportUseTool,
  takeOutOfWorkspaceTool,
} from "../../../../src/memory/forgetting/plugin/tools/workspace-tools.ts"
import { virtualContextSettings } from "../../../../src/memory/forgetting/plugin/virtual-context-settings.ts"
import { filterMessages } from "../../../../src/memory/services/store/session-store.ts"
import { shippedPrompts } from "../../../../src/prompt/dialect/shipped-files.ts"
import type { Tool, ToolContext } from "../../../../src/prompt/tools/tool.ts"
import { toolWords } from "../../../../src/prompt/tools/tool-words.ts"
import { fewLines, shortRuns } from "../../../support/short-runs.ts"

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const now = { atMs: Date.UTC(2026, 1, 20, 12, 0), turn: 40 }
const startMs = now.atMs - 130 * hourMs

const messages = Array.from({ length: 130 }, (_, at): HistoryMessage => {
  const [role, speaker] =
    at % 3 === 2 ? (["assistant", { id: "fay", name: "Fay" }] as const) : (["user", { id: "u", name: "Bob\n:" }] as const)
  return { role, speaker, text: `words ${at}${at % 10 === 0 ? " of bread" : ""}`, turnId: `t${at}`, atMs: startMs + at * hourMs }
})

const events = Array.from({ length: 60 }, (_, at) => {
  const [text, startMs] = [`Event ${at} of ${at % 4 === 0 ? "bread" : "rain"}`, now.atMs - (60 - at) * dayMs]
  const stamp = `stamp-${at}`
  const sources = [`t${at}`]
  return newEvent(
    { id: `e${at}`, grain: "moment", stamp, startMs, endMs: startMs, text, importance: (at * 7) % 11, sources },
    { atMs: startMs, turn: at % 40 },
  )
})

const item = (id: string, kind: "file" | "reference", text: string, turn: number) => ({
  ...{ id, kind, text, stability: 1 },
  added: { atMs: now.atMs - 9 * dayMs, turn: 1 },
  recalled: { atMs: now.atMs - dayMs, turn },
})

const state: VirtualContextState = {
  ...readState(undefined),
  events,
  workspace: [
    item("notes/plan.md", "file", "the plan", 20),
    item(
      "rules",
      "reference",
      Array.from({ length: 12 }, (_, at) => `rule ${at + 1} of ${at % 3 ? "tea" : "bread"}`).join("\n"),
      30,
    ),
    item("a b.md", "file", "with a space", 39),
  ],
  pulled: ["x.txt", "y.txt", "the weather"].map((id, at) => {
    const kind = id.includes(".") ? "file" : "reference"
    return { id, kind, text: `about ${id}`, pulled: { atMs: now.atMs - at * minuteMs, turn: 38 } }
  }),
}

const context: ToolContext = {
  signal: new AbortController().signal,
  key: { agent: "a", conversation: "c", user: "u", audience: "private" },
  turnId: "t",
  clock: { now: () => now.atMs } as never,
}

/** One kind of tool, called again and again in one turn. */
function turnOf(make: (parts: ContextToolParts) => Tool) {
  let held = state
  const asked: unknown[] = []
  const words = Object.fromEntries(contextToolNames.map((name) => [name, toolWords(shippedPrompts("tools", "en"), "en", name)]))
  const tool = make({
    memo: new Memo(),
    words: words as ContextToolParts["words"],
    settings: virtualContextSettings({ events: { timeZone: "UTC" }, pulled: { maxItems: 4 } }),
    calendar: zonedCalendar("UTC"),
    now,
    turn: {
      turnId: "t130",
      messages: async (filter) => filterMessages(messages, filter),
      recall: async (query, { limit, signal }) => {
        asked.push({ query, limit, aborted: signal.aborted })
        return Array.from({ length: limit }, (_, at) => ({ id: `m${at}`, text: `memory ${at}\n- forged` }))
      },
    },
    read: () => held,
    write: (changed) => {
      held = changed
    },
  })
  /** The answer, and what changed in the state. */
  async function call(args: unknown): Promise<string> {
    const before = held
    const checked = await tool.check(args)
    const answer = checked.ok ? await answerOf(checked.value) : checked.issues.map((issue) => `✗ ${issue}`).join("\n")
    const recalls = asked.splice(0).map((one) => `asked for ${JSON.stringify(one)}`)
    return [`> ${JSON.stringify(args)}`, ...fewLines(answer.split("\n")), ...recalls, ...fewLines(changes(before, held)), ""]
      .map(shortRuns)
      .join("\n")
  }
  async function answerOf(args: unknown): Promise<string> {
    try {
      return String(await tool.execute(args, context))
    } catch (error) {
      if (!(error instanceof PromptStrataError)) throw error
      return `✗ ${error.code} ${error.message}`
    }
  }
  return { tool, call }
}

/** One line for each entry of the state that came, changed or went. */
function changes(before: VirtualContextState, after: VirtualContextState): readonly string[] {
  return (Object.keys(after) as (keyof VirtualContextState)[]).flatMap((member) => {
    const [old, made] = [before[member], after[member]].map((value) => (Array.isArray(value) ? value : [value]) as unknown[])
    const [known, left] = [new Set(old?.map((one) => JSON.stringify(one))), new Set(made?.map((one) => JSON.stringify(one)))]
    const came = [...left].filter((one) => !known.has(one)).map((one) => `+ ${member} ${one}`)
    const went = [...known].filter((one) => !left.has(one)).map((one) => `- ${member} ${one?.slice(0, 60)}`)
    return [...went, ...came]
  })
}

const long = (length: number) => "x".repeat(length)

/** The calls of each tool, those that share a turn in one list. */
const turns: readonly (readonly [make: (parts: ContextToolParts) => Tool, ...args: unknown[]])[] = [
  [
    reportUseTool,
    { used: ["%[notes/plan.md]", "nowhere"], maybe_used: ["rules"] },
    { used: "a b.md" },
    { used: ["notes/plan.md", 7] },
    { used: 7, maybe_used: {} },
    {},
  ],
  [
    putIntoWorkspaceTool,
    { id: "new idea", text: "think" },
    { id: "new idea", text: "think again" },
    { id: "new idea", kind: "file" },
    { id: "new idea", kind: "folder" },
    { id: "src/a.ts" },
    { id: "src\\b" },
    { id: "%[noted]" },
    { id: "the weather" },
    { id: "x.txt", kind: "reference", text: "mine" },
    { id: 12 },
    { id: long(500) },
    { id: long(501) },
    { id: "%[]" },
    { id: "", text: "no id" },
    { id: null },
    null,
    "text",
  ],
  [takeOutOfWorkspaceTool, { ids: ["%[notes/plan.md]", "nowhere", "a b.md"] }, { ids: "nowhere" }, { ids: [] }, {}],
  [discardPulledTool, { ids: ["%[x.txt]", "nowhere"] }, { ids: [] }, {}, {}],
  [
    pullMessagesTool,
    {},
    { number: 100 },
    { number: 101 },
    { number: 1 },
    { number: "2.9" },
    { number: 0, skip: -1 },
    { number: 2, skip: 3.7 },
    { number: "many" },
    { number: 2, speaker: " Fay " },
    { number: 2, containing: "BREAD" },
    { from: "2026-02-20T10:00:00", to: "20260220 11:00" },
    { from: "20260219", to: "20260219", number: 3 },
    { from: "20260220 10:00", to: "2026/02/20 9:59" },
    { from: "20260220", to: `20260219 ${long(90)}` },
    { from: "2026.2.20 10:00", number: 1 },
    { from: `never ${long(90)}` },
    { to: "2026-02-30" },
    { containing: "nothing like it" },
  ],
  [
    searchEventsTool,
    { query: "bread" },
    { query: "bread", number: 2 },
    { query: "event", number: 50 },
    { query: "event", number: 51 },
    { query: "bread", number: 0.5 },
    { query: "nothing like it" },
    {},
  ],
  [
    recordEventTool,
    { text: "  I have\na cold " },
    { text: "A trip", when: "20260220 12:00", importance: 9 },
    { text: "A trip", when: "20260220 12:01" },
    { text: "A day", when: "2026-02-08" },
    { text: "A month", when: "2026年1月", importance: 0 },
    { text: "A week", when: "20260208-20260214", importance: 11 },
    { text: `${long(500)}` },
    { text: `${long(501)}` },
    { text: " " },
    { text: "Then", when: "last week" },
    {},
  ],
  [
    searchMemoriesTool,
    { query: "bread" },
    { query: "bread", number: 1.5 },
    { query: 7, number: 50 },
    { query: "b", number: 99 },
    {},
  ],
  [compressTool, { id: "rules" }, { id: "rules", level: " weak ", topic: "tea", from: 2 }, { id: "rules", to: 3 }],
  ...["best-match", "worst-match", "newest", "oldest", "most-used", "least-used"].map(
    (criterion) => [compressTool, { id: "%[rules]", criterion, topic: "bread", count: 2, from: 2, to: 9 }] as const,
  ),
  [compressTool, { id: "rules", weights: " 0.5, 0.2,0.1 ", count: 1 }, { id: "rules", weights: "1 2" }],
  [
    compressTool,
    { id: "rules", level: long(81) },
    { id: "rules", criterion: long(81) },
    { id: "rules", weights: long(81) },
    { id: long(201) },
    { id: "notes/plan.md" },
    { level: "weak" },
  ],
]

test("R28: each tool of the context answers, refuses and changes the state like this", async () => {
  const shown: string[] = []
  let before = ""
  for (const [make, ...calls] of turns) {
    const { tool, call } = turnOf(make)
    shown.push(tool.name === before ? "Another turn.\n" : `## ${tool.name}\n`)
    before = tool.name
    for (const args of calls) shown.push(await call(args))
  }
  await expect(shown.join("\n")).toMatchFileSnapshot("__snapshots__/tools.md")
})

test("R28: the tools of the context are offered like this", () => {
  const offered = [...new Set(turns.map(([make]) => make))].map((make) => {
    const { name, group, description, usageHint, inputSchema, writes, withAnswer, repeatable, visibility } = turnOf(make).tool
    return { name, group, writes, withAnswer, repeatable, visibility, description, usageHint, inputSchema }
  })
  expect(offered).toMatchSnapshot()
})
