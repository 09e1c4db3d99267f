import type { TokenCounter } from "../../src/core/ports.ts"
import { createAssembler } from "../../src/prompt/assemble/assembler.ts"
import { truncateText } from "../../src/prompt/assemble/truncate-text.ts"
import { fuzzedAssembly, inexact, randomOf } from "../support/fuzzed-assemblies.ts"
import { measuredRows, ratioGates, runs, warmUps } from "./assemble-rows.ts"
import { assembleBlocks, chatOf, freshCounter, half, longText, stackOf, tiktoken } from "./assemble-work.ts"
import type { BenchOptions, BenchResult, Gate, Row } from "./bench.ts"
import * as work from "./workloads.ts"

const fuzzed = 100_000

/** Assembling beside what a user could write by hand; the gates are exact counts, the text that is sent to the tokenizer, and CPU beside the floor's. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  return {
    title: `Assembling, o200k_base (CPU, medians of ${runs} runs after ${warmUps} that are not measured)`,
    rows: [...(peers ? await measuredRows() : []), ...fills.map(fillRow)],
    gates: [...chatGates(), ...fillGates(), ...blockGates(), ...cutGates(), fuzzGate(), ...(await ratioGates())],
    notes: [
      "`floor` is what it takes without this library: remembered counts of the tiktoken package, their sums and one join, and nobody's count of the whole. " +
        "`floor, our counter` is the same with this library's counter, which is several times as fast. `by hand, exact` then counts the joined text, " +
        "with our counter, until it fits and one item more would not. A first render begins with texts and a counter that have seen nothing, in a process that is warm. " +
        "Spans, prefixes and decisions are made when they are read, which has a row of its own.",
      "Beside seams and cuts the floor is one count of the whole text; beside a template it is plain concatenation, beside provenance, the same without it: composed, fitted and counted alike, the messages written out, but no spans, prefixes and decisions.",
    ],
  }
}

function chatGates(): Gate[] {
  const { chat, turn } = chatOf()
  const { counter, sent } = freshCounter()
  const assemblies = Array.from({ length: chat.turns }, (_, at) => turn(at, counter))
  const fresh = chat.lines.slice(0, -1).reduce((sum, { text }) => sum + text.length, chat.system.length)
  const ratio = sent() / fresh
  const before = sent()
  const again = turn(chat.turns - 1, counter)
  const wrong = assemblies.filter((assembly) => inexact(assembly, tiktoken.count) !== undefined)
  const beginnings = new Set(assemblies.map(({ messages }) => messages[1]?.content))
  return [
    atMost("text sent to the tokenizer over a 200-turn chat, to new text", ratio, 1.02),
    atMost("characters sent for an identical input", sent() - before, 0),
    { name: "an identical input gives the same Assembly", ok: again === assemblies.at(-1), detail: "by identity" },
    atMost("turns of the chat whose reported tokens are not the tokenizer's", wrong.length, 0),
    atMost(
      "turns over budget",
      assemblies.filter(({ tokens, overheadTokens }) => tokens + overheadTokens > chat.budgetTokens).length,
      0,
    ),
    atMost("beginnings of history in 200 turns", beginnings.size, 25),
  ]
}

/** How the window of history is cut: in steps, or no more than needed (`window = "fill"`). */
const fills = [
  { name: 'window = "steps"', lowWater: 0.5 },
  { name: 'window = "fill"', lowWater: 1 },
]

/** Of the turns of a chat whose history is cut: the share of the budget that is filled, and of the request that a cache can serve. */
function filled(lowWater: number): { readonly average: number; readonly least: number; readonly cached: number } {
  const { chat, turn } = chatOf({ lowWater })
  const { counter } = freshCounter()
  const shares: number[] = []
  let [before, same, all] = ["", 0, 0]
  for (let at = 0; at < chat.turns; at++) {
    const { messages, cut, tokens, overheadTokens } = turn(at, counter)
    const text = messages.map(({ role, content }) => `${role}\n${content}`).join("\n")
    if (cut.history !== undefined) {
      shares.push((tokens + overheadTokens) / chat.budgetTokens)
      all += text.length
      for (let unit = 0; unit < text.length && text[unit] === before[unit]; unit++) same++
    }
    before = text
  }
  return {
    average: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    least: Math.min(...shares),
    cached: same / all,
  }
}

function fillRow({ name, lowWater }: (typeof fills)[number]): Row {
  const { average, least, cached } = filled(lowWater)
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`
  return {
    what: `200-turn chat, ${name}`,
    "budget filled": `${percent(average)}, at least ${percent(least)}`,
    "served by a cache": percent(cached),
  }
}

function fillGates(): Gate[] {
  const [steps, fill] = fills.map(({ lowWater }) => filled(lowWater))
  return [
    atLeast('share of the budget that a chat fills at each turn that is cut, window = "fill"', fill?.least ?? 0, 0.95),
    atLeast('share of a request that a cache serves, window = "steps"', steps?.cached ?? 0, 0.9),
  ]
}

function blockGates(): Gate[] {
  const work1000 = blockWork(1000)
  const work5000 = blockWork(5000)
  return [
    atMost("characters sent for one changed of 1,000 items, to its own", work1000.changedRatio, 1.5),
    atMost("5,000 items send so much more than 1,000", work5000.sent / work1000.sent, 6),
    atMost("characters sent for 1,000 items of which half fall out, to theirs", work1000.sentRatio, 0.7),
    atMost("characters sent for 5,000 items of which half fall out, to theirs", work5000.sentRatio, 0.7),
    atMost("texts sent for one changed of 5,000 items", work5000.changedTexts, 16),
    { name: "1,000 and 5,000 items are counted exactly", ok: work1000.isExact && work5000.isExact, detail: "reported = counted" },
  ]
}

function blockWork(count: number) {
  const blocks = work.blocks(count)
  const { counter, sent, texts } = freshCounter()
  const stack = stackOf(blocks)
  const assembler = createAssembler()
  const assembly = assembleBlocks(stack, counter, half(blocks), assembler)
  const [all, before] = [sent(), texts()]
  const changed = work.withOneChanged(blocks).find((block, index) => block !== blocks[index])
  if (changed) stack.add({ key: changed.key, content: changed.text, fit: { rank: changed.rank, shrink: "drop" } })
  assembleBlocks(stack, counter, half(blocks), assembler)
  return {
    sent: all,
    sentRatio: all / blocks.reduce((sum, { text }) => sum + text.length, 0),
    changedTexts: texts() - before,
    changedRatio: (sent() - all) / (changed?.text.length ?? 1),
    isExact: inexact(assembly, tiktoken.count) === undefined,
  }
}

function fuzzGate(): Gate {
  const random = randomOf(4)
  const assembler = createAssembler()
  const { counter } = freshCounter()
  const wrong: string[] = []
  let made = 0
  while (made < fuzzed) {
    const assembly = fuzzedAssembly(random, counter, assembler)
    if (!assembly) continue
    made++
    const difference = inexact(assembly, tiktoken.count)
    if (difference !== undefined) wrong.push(difference)
  }
  return {
    name: `of ${fuzzed} fuzzed assemblies, all counts are the tokenizer's: of the whole, each message, each prefix`,
    ok: wrong.length === 0,
    detail: wrong.length === 0 ? "all" : `${wrong.length} differ: ${wrong[0]}`,
  }
}

/** How many pieces a cut splits, for each piece that counting the whole text would split. */
function cutGates(): Gate[] {
  const text = longText()
  const all = tiktoken.pieces(text).length
  const share = (maxTokens: number) => {
    let pieces = 0
    const counter: TokenCounter = {
      ...tiktoken,
      scan: (given, visit) =>
        tiktoken.scan(given, (end, tokens) => {
          pieces++
          return visit(end, tokens)
        }),
    }
    truncateText(text, { maxTokens, counter, notice: ({ kept, total }) => `[...${kept} of ${total}...]` })
    return pieces / all
  }
  return [
    atMost("cutting 130 kB to 100 tokens splits of its pieces", share(100), 1 / 50),
    atMost("cutting 130 kB to 1,000 tokens splits of its pieces", share(1000), 0.05),
  ]
}

function atLeast(name: string, value: number, bound: number): Gate {
  return { name, ok: value >= bound, detail: `${value.toFixed(3)}, at least ${bound}` }
}

function atMost(name: string, value: number, bound: number): Gate {
  return { name, ok: value <= bound, detail: `${Number(value.toFixed(3))}, at most ${bound}` }
}
