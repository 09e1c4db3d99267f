import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { tiktokenCounter } from "../../src/adapters/tokenizers/tiktoken/index.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import { loadProfile } from "../../src/node/index.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { type CacheRequest, countingIds, manualClock, seededRandom, simulateCache } from "../../src/testing/index.ts"
import type { BenchOptions, BenchResult } from "./bench.ts"
import { chat } from "./workloads.ts"

const pages = ["README.md", "README.zh-CN.md"].map((name) => fileURLToPath(new URL(`../../${name}`, import.meta.url)))
const profiles = ["layered", "fay", "stack", "stack-cached", "soul", "root"]
const turns = 60
const mostBackground = 12_000
const mostWithMemory = 1.25
/** The time between two turns. After a minute, background work no longer waits for the next one. */
const betweenMs = 30_000

/**
 * The cost of the same 60 turns with each shipped profile, as README's table says it: with a store, recall and everything that the
 * profile does in the background, and beside it the turns of an agent that remembers nothing. Everything is counted, nothing timed.
 */
export async function run({ write = false }: BenchOptions): Promise<BenchResult> {
  const counter = await tiktokenCounter({ encoding: "o200k_base" })
  const costs = new Map<string, { readonly alone: ProfileCost; readonly whole: ProfileCost }>()
  for (const name of profiles)
    costs.set(name, {
      alone: await costOf(name, counter, { stored: false }),
      whole: await costOf(name, counter, { stored: true }),
    })
  const texts = pages.map((page) => readFileSync(page, "utf8"))
  const layered = costs.get("layered")
  const withMemory = layered ? (layered.whole.paid - layered.whole.backgroundPaid) / layered.alone.paid : Number.NaN
  const written = texts.map((text) =>
    withParts(text, layered).replaceAll(/^(\| `([\w-]+)` \|.*\|)[^|\n]*\|[^|\n]*\|$/gm, (row, rest: string, name: string) => {
      const cost = costs.get(name)
      if (cost === undefined) return row
      return `${rest} ${thousands(cost.whole.paid)} | ${thousands(cost.whole.sent)} |`
    }),
  )
  if (write) for (const [at, page] of pages.entries()) writeFileSync(page, written[at] ?? "")
  return {
    title: "The cost of 60 turns, by profile",
    rows: [...costs].map(([profile, { alone, whole }]) => ({
      profile,
      calls: whole.calls,
      "of them in the background": whole.backgroundCalls,
      "prompt tokens sent": whole.sent,
      "price in plain prompt tokens": Math.round(whole.paid),
      "of it background": Math.round(whole.backgroundPaid),
      "remembering nothing: sent": alone.sent,
      "remembering nothing: price": Math.round(alone.paid),
    })),
    notes: [
      "The price is in plain prompt tokens, where one that an automatic cache serves costs a tenth. Every turn is judged worth keeping, so recall finds as much as it may bring. Not counted: what the model writes, its thoughts, and embeddings.",
    ],
    gates: [
      {
        name: "README.md and README.zh-CN.md hold these costs",
        ok: write || written.every((text, at) => text === texts[at]),
        detail: "else: npm run bench -- --write",
      },
      {
        name: `M22 the background work of layered sends at most ${mostBackground} tokens`,
        ok: (costs.get("layered")?.whole.backgroundPaid ?? 0) <= mostBackground,
        detail: `${costs.get("layered")?.whole.backgroundPaid}`,
      },
      {
        name: `the turns of layered with memory cost at most ${mostWithMemory} × those that remember nothing`,
        ok: withMemory <= mostWithMemory,
        detail: withMemory.toFixed(2),
      },
    ],
  }
}

interface ProfileCost {
  readonly calls: number
  /** Calls that no turn made. */
  readonly backgroundCalls: number
  readonly sent: number
  readonly paid: number
  readonly backgroundPaid: number
}

/** A page whose sentence about the cost of `layered` says of what it is made: all, background calls, recall, and all without memory. */
function withParts(text: string, costs: { readonly alone: ProfileCost; readonly whole: ProfileCost } | undefined): string {
  if (costs === undefined) return text
  const { whole, alone } = costs
  const parts = [whole.paid, whole.backgroundPaid, whole.paid - whole.backgroundPaid - alone.paid, alone.paid].map(thousands)
  const numbers = /(?<=Of the |`layered` 的 )[\d,]+(\D+)[\d,]+(\D+)[\d,]+(\D+)[\d,]+/
  return text.replace(numbers, (_, ...words) => parts.map((part, at) => `${part}${at < 3 ? words[at] : ""}`).join(""))
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1000).toLocaleString("en")},000`
}

/** Plays the conversation: two lines of some 150 tokens a turn, a tool call in every third, in English. */
async function costOf(name: string, counter: TokenCounter, { stored }: { stored: boolean }): Promise<ProfileCost> {
  const dataFolder = mkdtempSync(join(tmpdir(), "profile-cost-"))
  const clock = manualClock(Date.UTC(2026, 10, 21, 9))
  const { lines } = chat(turns)
  const { model, requests } = playedModel(lines.filter(({ role }) => role === "assistant").map(({ text }) => text))
  const profile = await loadProfile(name, { locale: "en", env: {}, dataFolder, clock })
  const ports = { clock, counter, ids: countingIds(), random: seededRandom(1) }
  const store = stored ? createInMemoryStore({ ports: { clock } }) : undefined
  const agent = createAgent({ profile, model, tools: [findNote], ports, ...(store && { store }) })
  const person = { id: "ann", name: "Ann" }
  for (let turn = 0; turn < turns; turn++) {
    await agent.session("cost").send(lines[turn * 2]?.text ?? "", { from: person }).result
    // Whoever waits for all work ends a batch, so this waits only for the work that has begun.
    for (let round = 0; round < 300; round++) await new Promise(setImmediate)
    clock.advance(betweenMs)
  }
  await agent.idle()
  await agent.close()
  await store?.close()
  rmSync(dataFolder, { recursive: true, force: true })
  const { promptTokens, cost = 0, rows } = simulateCache(requests, { counter, prices: { input: 1_000_000, cacheRead: 100_000 } })
  const background = rows.filter((_, at) => requests[at]?.background)
  return {
    calls: requests.length,
    backgroundCalls: background.length,
    sent: promptTokens,
    paid: cost,
    backgroundPaid: background.reduce((sum, row) => sum + (row.cost ?? 0), 0),
  }
}

const findNote = defineTool({
  name: "find_note",
  description: "Search the user's notes",
  jsonSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
  execute: () => "3 March: the recipe needs two cups of flour and a night of rest.",
})

/** What is answered to the background: each turn is worth keeping, nothing is said of the user, and nothing shows in all memories. */
const backgroundAnswers: Readonly<Record<string, string>> = {
  importance: '{"importance": 6}',
  "importance-and-profile": '{"importance": 6, "profile": {}, "insights": []}',
  "user-profile": "{}",
  reflection: "[]",
}

/**
 * A model that calls its own tools natively, as those of today do: the tool in the first step of every third turn, else the answer. If
 * it is offered a coarse tool, it asks that one, and plays the agent behind it too.
 */
function playedModel(answers: readonly string[]) {
  const requests: (CacheRequest & { readonly background: boolean })[] = []
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
    async *stream({ tools = [], assembly, facts }) {
      if (assembly === undefined) throw new Error("a request without its assembly")
      requests.push({ assembly, background: facts?.background ?? false })
      if (facts?.background) {
        yield { type: "text-delta", delta: backgroundAnswers[facts.prompt] ?? "" }
        yield { type: "finish", reason: "stop" }
        return
      }
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
