import { assemble } from "../../src/assemble/assemble.ts"
import { truncateText } from "../../src/assemble/truncate-text.ts"
import type { TokenCounter } from "../../src/core/ports.ts"
import type { Assembly } from "../../src/core/span.ts"
import type { TurnState } from "../../src/layers/turn-state.ts"
import { PromptStack } from "../../src/stack/prompt-stack.ts"
import { parseTemplate } from "../../src/template/parse.ts"
import { renderTemplate } from "../../src/template/render.ts"
import { tiktokenCounter } from "../../src/tokenizers/tiktoken/tiktoken-counter.ts"
import { fuzzedAssembly, inexact, randomOf } from "../support/fuzzed-assemblies.ts"
import type { BenchOptions, BenchResult, Gate, Row } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, median } from "./measure.ts"
import * as work from "./workloads.ts"

const runs = 15
const fuzzed = 100_000
const tiktoken = await tiktokenCounter({ encoding: "o200k_base" })

/** Assembling beside a floor of cached counts and one join; the gates are exact counts and the text that is sent to the tokenizer. */
export async function run({ peers }: BenchOptions): Promise<BenchResult> {
  return {
    title: `Assembling, o200k_base (CPU, medians of ${runs} runs; the floor is cached counts and one join)`,
    rows: peers ? await measuredRows() : [],
    gates: [...chatGates(), ...blockGates(), ...cutGates(), fuzzGate()],
  }
}

/** A counter that has seen nothing, and how many characters it was sent. */
function freshCounter(): { counter: TokenCounter; sent: () => number } {
  let characters = 0
  const counter: TokenCounter = {
    ...tiktoken,
    count(text) {
      characters += text.length
      return tiktoken.count(text)
    },
    scan(text, visit) {
      characters += text.length
      tiktoken.scan(text, visit)
    },
  }
  return { counter, sent: () => characters }
}

function stackOf(blocks: readonly work.Block[]): PromptStack {
  return new PromptStack(blocks.map(({ key, text, rank }) => ({ key, content: text, fit: { rank, shrink: "drop" } })))
}

function half(blocks: readonly work.Block[]): number {
  return Math.round(blocks.reduce((sum, { text }) => sum + tiktoken.count(text), 0) / 2)
}

const assembleBlocks = (stack: PromptStack, counter: TokenCounter, budgetTokens: number): Assembly =>
  assemble(stack, { dialect: "layered", prompt: "chat", counter, budgetTokens })

/** A chat whose turns are assembled one after the other. */
function chatOf(): { readonly chat: work.Chat; readonly turn: (at: number, counter: TokenCounter) => Assembly } {
  const chat = work.chat()
  const speaker = { id: "u", name: "Ann" }
  const messages = chat.lines.map(({ role, text }, index) => ({ role, text, speaker, turnId: `t${index >> 1}`, atMs: 0 }))
  const stack = new PromptStack([{ key: "persona", content: chat.system, scope: "global" }])
  const rest = { group: false, agentName: "Fay", memories: [], prestart: [], tools: [], runs: [], steps: [] }
  return {
    chat,
    turn(at, counter) {
      const turn: TurnState = {
        ...rest,
        question: { speaker, text: chat.lines[at * 2]?.text ?? "" },
        history: messages.slice(0, at * 2),
      }
      return assemble(stack, { dialect: "layered", prompt: "chat", counter, turn, budgetTokens: chat.budgetTokens })
    },
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

function blockGates(): Gate[] {
  const work1000 = blockWork(1000)
  const work5000 = blockWork(5000)
  return [
    atMost("characters sent for one changed of 1,000 items, to its own", work1000.changedRatio, 1.5),
    atMost("5,000 items send so much more than 1,000", work5000.sent / work1000.sent, 6),
    { name: "1,000 and 5,000 items are counted exactly", ok: work1000.isExact && work5000.isExact, detail: "reported = counted" },
  ]
}

function blockWork(count: number) {
  const blocks = work.blocks(count)
  const { counter, sent } = freshCounter()
  const stack = stackOf(blocks)
  const assembly = assembleBlocks(stack, counter, half(blocks))
  const all = sent()
  const changed = work.withOneChanged(blocks).find((block, index) => block !== blocks[index])
  if (changed) stack.add({ key: changed.key, content: changed.text, fit: { rank: changed.rank, shrink: "drop" } })
  assembleBlocks(stack, counter, half(blocks))
  return {
    sent: all,
    changedRatio: (sent() - all) / (changed?.text.length ?? 1),
    isExact: inexact(assembly, tiktoken.count) === undefined,
  }
}

function fuzzGate(): Gate {
  const random = randomOf(4)
  const { counter } = freshCounter()
  const wrong: string[] = []
  let made = 0
  while (made < fuzzed) {
    const assembly = fuzzedAssembly(random, counter)
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

async function measuredRows(): Promise<Row[]> {
  return [...(await blockRows()), ...(await chatRows()), ...(await seamRows()), ...(await cutRows()), ...(await templateRows())]
}

async function blockRows(): Promise<Row[]> {
  const times = new Times()
  for (const count of [1000, 5000]) {
    const blocks = work.blocks(count)
    const other = work.withOneChanged(blocks)
    const budget = half(blocks)
    const changed = other.find((block, index) => block !== blocks[index])
    for (let i = 0; i < runs; i++) {
      const { counter } = freshCounter()
      const floorCount = work.remembering(tiktoken.count)
      const stack = stackOf(blocks)
      await times.add(`${count} items, budget half: first`, "floor", () => work.blocksFloor(blocks, budget, floorCount))
      await times.add(`${count} items, budget half: first`, "ours", () => assembleBlocks(stack, counter, budget))
      if (changed) stack.add({ key: changed.key, content: changed.text, fit: { rank: changed.rank, shrink: "drop" } })
      await times.add(`one of ${count} changed`, "floor", () => work.blocksFloor(other, budget, floorCount))
      await times.add(`one of ${count} changed`, "ours", () => assembleBlocks(stack, counter, budget))
      await times.add(`${count} items again`, "floor", () => work.blocksFloor(other, budget, floorCount))
      await times.add(`${count} items again`, "ours", () => assembleBlocks(stack, counter, budget))
    }
  }
  return [
    ...times.rows(),
    times.growth("1000 items, budget half: first", "5000 items, budget half: first", "growth 1,000 → 5,000"),
  ]
}

async function chatRows(): Promise<Row[]> {
  const times = new Times()
  for (let i = 0; i < runs; i++) {
    const { chat, turn } = chatOf()
    const { counter } = freshCounter()
    const floorCount = work.remembering(tiktoken.count)
    await times.add("200-turn chat", "floor", () => {
      for (let at = 0; at < chat.turns; at++) work.chatFloor(chat, at, floorCount)
    })
    const some = async (from: number, to: number, name?: string) => {
      const all = () => {
        for (let at = from; at < to; at++) turn(at, counter)
      }
      return name === undefined ? cpuMs(all) : times.add(name, "ours", all)
    }
    const whole = [
      await some(0, 40),
      await some(40, 60, "turns 41 to 60"),
      await some(60, 180),
      await some(180, 200, "turns 181 to 200"),
    ]
    times.note(
      "200-turn chat",
      "ours",
      whole.reduce((sum, ms) => sum + ms, 0),
    )
  }
  return [...times.rows(), times.growth("turns 41 to 60", "turns 181 to 200", "turn 200 / turn 50")]
}

/** Seams between parts that are counted already, beside a count of the whole. */
async function seamRows(): Promise<Row[]> {
  const times = new Times()
  const blocks = work.blocks()
  const joined = blocks.map(({ text }) => text).join("\n\n")
  const room = tiktoken.count(joined) * 2
  for (let i = 0; i < runs; i++) {
    const { counter } = freshCounter()
    assembleBlocks(stackOf(blocks.toReversed()), counter, room)
    const stack = stackOf(blocks)
    const warm = freshCounter()
    assembleBlocks(stack, warm.counter, room)
    await times.add("1,000 seams, settled cold (with composing)", "floor", () => tiktoken.count(joined))
    await times.add("1,000 seams, settled cold (with composing)", "ours", () => assembleBlocks(stack, counter, room))
  }
  return times.rows()
}

async function cutRows(): Promise<Row[]> {
  const times = new Times()
  const text = longText()
  const notice = ({ kept, total }: { kept: number; total: number }) => `[...${kept} of ${total}...]`
  for (let i = 0; i < runs; i++) {
    for (const maxTokens of [100, 1000]) {
      const { counter } = freshCounter()
      await times.add(`130 kB cut to ${maxTokens} tokens`, "floor", () => tiktoken.count(text))
      await times.add(`130 kB cut to ${maxTokens} tokens`, "ours", () => truncateText(text, { maxTokens, counter, notice }))
    }
  }
  return times.rows()
}

/** 130 kB of prose, one byte a character, as a file is read. */
function longText(): string {
  const prose = work
    .blocks(700)
    .map((block) => block.text)
    .join("\n")
  return new TextDecoder("latin1").decode(new TextEncoder().encode(prose.replaceAll(/[^\n -~]/g, "x").slice(0, 130_000)))
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

async function templateRows(): Promise<Row[]> {
  const times = new Times()
  const given = work.templateWork()
  const template = parseTemplate(given.source, { file: "bench.md" })
  const many = (render: () => string) => () => {
    for (let i = 0; i < 1000; i++) render()
  }
  for (let i = 0; i < runs; i++) {
    await times.add(
      "a template of 24 variables, 1,000 times",
      "floor",
      many(() => work.templateFloor(given)),
    )
    await times.add(
      "a template of 24 variables, 1,000 times",
      "ours",
      many(() => renderTemplate(template, given.values)),
    )
  }
  return times.rows()
}

/** CPU times by what was done and by whom. */
class Times {
  readonly #ms = new Map<string, { floor: number[]; ours: number[] }>()

  async add(what: string, whose: "floor" | "ours", action: () => unknown): Promise<number> {
    const ms = await cpuMs(action)
    this.note(what, whose, ms)
    return ms
  }

  note(what: string, whose: "floor" | "ours", ms: number): void {
    const known = this.#ms.get(what) ?? { floor: [], ours: [] }
    known[whose].push(ms)
    this.#ms.set(what, known)
  }

  rows(): Row[] {
    return [...this.#ms].map(([what, { floor, ours }]) =>
      floor.length === 0
        ? { what, ours: formatMs(median(ours)) }
        : {
            what,
            floor: formatMs(median(floor)),
            ours: formatMs(median(ours)),
            "ours / floor": formatRatio(median(ours), median(floor)),
            "floor / ours": formatRatio(median(floor), median(ours)),
          },
    )
  }

  growth(from: string, to: string, what: string): Row {
    const of = (name: string) => median(this.#ms.get(name)?.ours ?? [])
    return { what, "ours / floor": formatRatio(of(to), of(from)) }
  }
}

function atMost(name: string, value: number, bound: number): Gate {
  return { name, ok: value <= bound, detail: `${Number(value.toFixed(3))}, at most ${bound}` }
}
