import type { TokenCounter } from "../../src/core/ports.ts"
import { historyWindow } from "../../src/loop/agent/create-turn-context.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { type CacheRequest, seededRandom } from "../../src/testing/index.ts"
import { chat } from "../bench/workloads.ts"
import { ran, said, turnState } from "./turns.ts"

const turns = 200
const recalledTokens = 400
const budgetTokens = 16_000
const minute = 60_000

/**
 * The fixed conversation that caches are compared on: a system prompt of 4,000 tokens, 200 turns of two lines of some 160,
 * 400 newly recalled tokens and a new state in every turn, a tool call in every third. History goes back to between
 * `lowMark` and twice as many messages and moves in steps (S16); nothing has to be cut up to a low mark of 30.
 */
export function cacheScenario(dialect: string, counter: TokenCounter, lowMark: number): CacheRequest[] {
  const { system, lines } = chat(turns)
  const random = seededRandom(4)
  const words = [...new Set(lines.flatMap(({ text }) => text.toLowerCase().match(/[a-z]+/g) ?? []))]
  const recall = (): string => {
    const picked: string[] = []
    while (counter.count(picked.join(" ")) < recalledTokens / 8) picked.push(words[Math.floor(random() * words.length)] ?? "")
    return picked.join(" ")
  }
  const spoken = lines.map(({ role, text }, index) => said(role, text, { turnId: `turn_${index >> 1}` }))
  return Array.from({ length: turns }, (_, turn) => {
    const stack = new PromptStack([
      { key: "persona", content: system, scope: "global" },
      {
        key: "state",
        content: `Turn ${turn + 1}. Mood ${Math.floor(random() * 100)} of 100. It is ${clock(turn)}.`,
        scope: "turn",
      },
    ])
    const state = turnState(lines[turn * 2]?.text ?? "", {
      history: historyWindow(spoken.slice(0, turn * 2), { contextCount: lowMark, window: "steps" }),
      memories: Array.from({ length: 8 }, () => ({ text: recall() })),
      tools,
    })
    const calls = turn % 3 === 2 ? [[], [look(turn)]] : [[]]
    return calls.map((runs, step): CacheRequest => {
      const steps = runs.map((run) => ({ type: "run" as const, call: callOf(run), run }))
      const assembly = assemble(stack, { dialect, counter, budgetTokens, turn: { ...state, runs, steps } })
      return { assembly, turn: turn + 1, atMs: turn * minute + step * 1000 }
    })
  }).flat()
}

const tools = [
  defineTool({
    name: "query_weather",
    description: "Look up the weather of a city",
    jsonSchema: { type: "object", properties: { city: { type: "string", description: "City name" } }, required: ["city"] },
    execute: () => "",
  }),
  defineTool({
    name: "find_note",
    description: "Search the user's notes",
    jsonSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
    execute: () => "",
  }),
]

function look(turn: number) {
  return ran(
    "query_weather",
    { city: "Hangzhou" },
    `Hangzhou at ${clock(turn)}: sunny, ${15 + (turn % 12)} °C, wind from the east`,
  )
}

function callOf({ tool, args }: { readonly tool: string; readonly args: object }): string {
  return JSON.stringify({ action: "tool", tool, args })
}

function clock(turn: number): string {
  return `${String(8 + Math.floor(turn / 60)).padStart(2, "0")}:${String(turn % 60).padStart(2, "0")}`
}
