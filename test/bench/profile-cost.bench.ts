import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { tiktokenCounter } from "../../src/adapters/tokenizers/tiktoken/index.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { loadProfile } from "../../src/node/index.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { type CacheRequest, countingIds, manualClock, seededRandom, simulateCache } from "../../src/testing/index.ts"
import type { BenchOptions, BenchResult } from "./bench.ts"
import { chat } from "./workloads.ts"

const readme = fileURLToPath(new URL("../../README.md", import.meta.url))
const profiles = ["layered", "fay", "stack", "soul", "root"]
const turns = 60
const minuteMs = 60_000

/** The cost of the same 60 turns with each shipped profile, as README's table says it; everything is counted, nothing timed. */
export async function run({ write = false }: BenchOptions): Promise<BenchResult> {
  const counter = await tiktokenCounter({ encoding: "o200k_base" })
  const costs = new Map<string, ProfileCost>()
  for (const name of profiles) costs.set(name, await costOf(name, counter))
  const text = readFileSync(readme, "utf8")
  const written = text.replaceAll(/^(\| `(\w+)` \|.*\|)[^|\n]*\|$/gm, (row, rest: string, name: string) => {
    const cost = costs.get(name)
    return cost === undefined ? row : `${rest} ${thousands(cost.paid)} (${thousands(cost.sent)} sent) |`
  })
  if (write) writeFileSync(readme, written)
  return {
    title: "The cost of 60 turns, by profile",
    rows: [...costs].map(([profile, { sent, paid, calls }]) => ({
      profile,
      calls,
      "prompt tokens sent": sent,
      "price in plain prompt tokens": Math.round(paid),
    })),
    gates: [
      {
        name: "README's table of profiles holds these costs",
        ok: write || written === text,
        detail: "else: npm run bench -- --write",
      },
    ],
  }
}

interface ProfileCost {
  readonly calls: number
  readonly sent: number
  readonly paid: number
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1000).toLocaleString("en")},000`
}

/** Plays the conversation: two lines of some 80 tokens a turn, a tool call in every third, in English, without a store. */
async function costOf(name: string, counter: TokenCounter): Promise<ProfileCost> {
  const dataFolder = mkdtempSync(join(tmpdir(), "profile-cost-"))
  const clock = manualClock(Date.UTC(2026, 10, 21, 9))
  const { lines } = chat(turns)
  const { model, requests } = playedModel(lines.filter(({ role }) => role === "assistant").map(({ text }) => text))
  const profile = await loadProfile(name, { locale: "en", env: {}, dataFolder, clock })
  const ports = { clock, counter, ids: countingIds(), random: seededRandom(1) }
  const agent = createAgent({ profile, model, tools: [findNote], ports })
  const sent: CacheRequest[] = []
  for (let turn = 0; turn < turns; turn++) {
    const { trace } = await agent.session("cost").send(lines[turn * 2]?.text ?? "").result
    const [first = [], ...later] = trace.steps.map((step) => [step])
    const inOrder = [...first, ...trace.children.flatMap((child) => child.trace.steps), ...later.flat()]
    sent.push(...inOrder.map(({ assembly }) => ({ assembly, turn: turn + 1 })))
    clock.advance(minuteMs)
  }
  await agent.close()
  rmSync(dataFolder, { recursive: true, force: true })
  if (requests.length !== sent.length) throw new Error(`${name}: ${requests.length} calls, of which turns made ${sent.length}`)
  const { promptTokens, cost = 0 } = simulateCache(sent, { counter, prices: { input: 1_000_000, cacheRead: 100_000 } })
  return { calls: sent.length, sent: promptTokens, paid: cost }
}

const findNote = defineTool({
  name: "find_note",
  description: "Search the user's notes",
  jsonSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
  execute: () => "3 March: the recipe needs two cups of flour and a night of rest.",
})

/**
 * A model that calls its own tools natively, as those of today do: the tool in the first step of every third turn, else the answer. If
 * it is offered a coarse tool, it asks that one, and plays the agent behind it too.
 */
function playedModel(answers: readonly string[]) {
  const requests: number[] = []
  let [turn, next]: [number, "question" | "child" | "child's answer" | "answer"] = [0, "question"]
  const find = { name: "find_note", args: { words: "flour" } }
  const play = (isCoarse: boolean): typeof find | { readonly name: string; readonly args: object } | string => {
    if (next === "child" || (next === "question" && turn % 3 === 2 && !isCoarse)) {
      next = next === "child" ? "child's answer" : "answer"
      return find
    }
    if (next === "question" && turn % 3 === 2) {
      next = "child"
      return { name: "tools", args: { request: "Look up flour in the notes" } }
    }
    const isAnswer = next !== "child's answer"
    next = isAnswer ? "question" : "answer"
    return isAnswer ? (answers[turn++] ?? "") : "3 March: two cups of flour and a night of rest."
  }
  const model: LanguageModel = {
    id: "played",
    capabilities: { tools: true, developerRole: false },
    async *stream({ tools = [], messages }) {
      requests.push(messages.length)
      const made = play(tools.some(({ name }) => name === "tools"))
      const isNative = tools.length > 0
      if (typeof made === "string")
        yield { type: "text-delta", delta: isNative ? made : JSON.stringify({ action: "finish", message: made }) }
      else if (isNative) {
        const call = { id: `call-${turn}-${next}`, name: made.name, args: JSON.stringify(made.args) }
        yield { type: "tool-call", call }
      } else yield { type: "text-delta", delta: JSON.stringify({ action: "tool", tool: made.name, args: made.args }) }
      yield { type: "finish", reason: typeof made !== "string" && isNative ? "tool-calls" : "stop" }
    },
  }
  return { model, requests }
}
