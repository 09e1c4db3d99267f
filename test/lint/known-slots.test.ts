import { describe, expect, test } from "vitest"
import { Memo } from "../../src/core/memo.ts"
import type { SlotEntry, SlotValue } from "../../src/core/value.ts"
import { knownSlots } from "../../src/lint/known-slots.ts"
import type { LintContext, LintFile } from "../../src/lint/rule.ts"
import { turnInjections } from "../../src/prompt/layers/turn-injections.ts"
import type { TurnState } from "../../src/prompt/layers/turn-state.ts"
import { parseTemplate } from "../../src/prompt/template/parse.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { toolGroups } from "../../src/prompt/tools/tool.ts"

const empty: LintContext = { files: [], profiles: [], shippedNames: new Map(), traces: [] }

function fileNamed(name: string): LintFile {
  const template = parseTemplate("${x}", { file: `${name}.md` })
  return {
    kind: "prompt",
    file: `${name}.md`,
    path: "",
    text: "",
    root: "",
    folder: "d",
    name,
    shipped: false,
    template,
    loads: [],
    faults: [],
  }
}

const run = { id: "1", tool: "t", args: { a: 1 }, status: "ok", result: "r", durationMs: 1 } as const
const call = { id: "1", name: "t", arguments: "{}" }
const fileFaultNames = ["missing", "refused", "unsupported", "beyond", "large", "failed"]
const state: TurnState = {
  question: { speaker: { id: "u", name: "U" }, text: "q", mentions: [{ id: "v", name: "V" }] },
  group: true,
  agentName: "A",
  history: [
    {
      role: "user",
      speaker: { id: "u", name: "U" },
      text: "h",
      atMs: 0,
      prestart: [run],
      runs: [{ ...run, step: 0 }],
      recalled: ["m"],
      attachments: [{ name: "f", mediaType: "image/png", blob: "0", sizeBytes: 1 }],
      mentions: [{ id: "v", name: "V" }],
    } as never,
  ],
  atMs: 0,
  attachments: [{ name: "f", mediaType: "image/png", blob: "0", sizeBytes: 1 }],
  fileFaults: fileFaultNames.map((fault) => ({ written: "%[f]", fault, totalLines: 1 })),
  groupRules: Object.fromEntries(toolGroups.map((group) => [group, { text: "r", trust: "author" }])),
  memories: [
    { text: "m", speaker: "U", atMs: 0 },
    { text: "m", atMs: 0 },
  ],
  prestart: [{ ...run, ageMs: 1 }],
  tools: [
    defineTool({ name: "t", description: "d", execute: () => 1 }),
    ...toolGroups.map((group) => defineTool({ name: group, group, description: "d", execute: () => 1 })),
  ],
  runs: [run, { ...run, result: "a\nb" }, { ...run, empty: true }],
  steps: [
    { type: "run", call: "c", run },
    { type: "run", call: "c", run: { ...run, result: "a\nb" } },
    { type: "run", call: "c", run: { ...run, empty: true } },
    { type: "native", text: "x", calls: [call as never], runs: [run] },
    { type: "fault", output: "o", notice: "n" },
  ],
  note: "n",
  fault: "f",
}

const words = { optional: "optional", showsTime: true }

/** Data of a native message, which is never printed. */
const unprinted = ["toolCalls", "toolCallId"]

function entriesOf(value: SlotValue): readonly SlotEntry[] {
  return Array.isArray(value) ? (value as readonly SlotEntry[]) : []
}

describe("the slots that are known to be filled", () => {
  test("in a prompt are all that a turn brings", () => {
    const known = knownSlots(fileNamed("planner"), empty)
    const brought = turnInjections(state, words, new Memo()).map(({ key }) => key)
    expect(brought.filter((key) => !known?.has(key))).toEqual([])
  })

  test("in an entry file are all that its entries hold, and no others", () => {
    const native = turnInjections({ ...state, nativeCalls: true }, { ...words, nativeHistory: true }, new Memo())
    for (const { key, content } of turnInjections(state, words, new Memo())) {
      const entries = [content, ...native.filter((other) => other.key === key).map((other) => other.content)].flatMap(entriesOf)
      const fields = new Set(entries.flatMap((entry) => Object.keys(entry)))
      if (fields.size === 0) continue
      const known = [...(knownSlots(fileNamed(key), empty) ?? [])]
      expect({ key, lacking: [...fields].filter((name) => !known.includes(name) && !unprinted.includes(name)) }).toEqual({
        key,
        lacking: [],
      })
      expect({ key, unheard: known.filter((name) => !fields.has(name)) }).toEqual({ key, unheard: [] })
    }
  })

  test("in an entry file of one's own may be any", () => {
    expect(knownSlots(fileNamed("friends"), empty)).toBeUndefined()
  })
})
