import { createAssembler } from "../../src/prompt/assemble/assembler.ts"
import { PartStore } from "../../src/prompt/assemble/tokens/part-store.ts"
import { messageStart } from "../../src/prompt/assemble/tokens/seam.ts"
import { truncateText } from "../../src/prompt/assemble/truncate-text.ts"
import { parseTemplate } from "../../src/prompt/template/parse.ts"
import { renderTemplate } from "../../src/prompt/template/render-template.ts"
import { assembleBlocks, chatOf, countWithPackage, freshCounter, half, longText, stackOf, tiktoken } from "./assemble-work.ts"
import type { Gate, Row } from "./bench.ts"
import { cpuMs } from "./measure.ts"
import { Times } from "./times.ts"
import { withoutProvenance } from "./without-provenance.ts"
import * as work from "./workloads.ts"

/** So many times everything is measured, after so many times that are not counted: what runs for the first time is compiled meanwhile. */
export const runs = 15
export const warmUps = 60
const rounds = runs + warmUps

/** Floors with the package's counter take long, and nothing of theirs has to be compiled first. */
const isCounted = (round: number): boolean => round >= warmUps

/** Blocks of texts that no earlier round had: what is remembered of those must not help. */
function newBlocks(count: number, round: number) {
  const blocks = work.blocks(count, 2 * round + 1)
  return { blocks, other: work.withOneChanged(blocks, 2 * round + 2), budget: half(blocks) }
}

/** All tables' rows. */
export async function measuredRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const measure of [blockRows, provenanceRows, chatRows, seamRows, cutRows, templateRows]) rows.push(...(await measure()))
  return rows
}

async function blockRows(): Promise<Row[]> {
  const times = new Times(warmUps)
  for (const count of [1000, 5000]) {
    for (let i = 0; i < rounds; i++) {
      const { blocks, other, budget } = newBlocks(count, i)
      const changed = other.find((block, index) => block !== blocks[index])
      const { counter } = freshCounter()
      const strictCount = work.remembering(tiktoken.count)
      const floorCount = work.remembering(countWithPackage)
      const exact = work.exactBlocks(tiktoken.count)
      const stack = stackOf(blocks)
      const assembler = createAssembler()
      const floors = async (what: string, given: readonly work.Block[]) => {
        if (isCounted(i)) await times.add(what, "floor", () => work.blocksFloor(given, budget, floorCount))
        await times.add(what, "strict", () => work.blocksFloor(given, budget, strictCount))
      }
      await floors(`${count} items, budget half: first`, blocks)
      await times.add(`${count} items, budget half: first`, "exact", () => exact(blocks, budget))
      const name = `${count} items, budget half: first`
      await times.add(name, "ours", () => assembleBlocks(stack, counter, budget, assembler))
      const first = assembleBlocks(stack, counter, budget, assembler)
      await times.add(`${count} items: spans, prefixes and decisions of the first, read`, "ours", () => [
        first.spans,
        first.prefixes,
        first.decisions,
      ])
      if (changed) stack.add({ key: changed.key, content: changed.text, fit: { rank: changed.rank, shrink: "drop" } })
      await floors(`one of ${count} changed`, other)
      await times.add(`one of ${count} changed`, "exact", () => exact(other, budget))
      await times.add(`one of ${count} changed`, "ours", () => assembleBlocks(stack, counter, budget, assembler))
      await floors(`${count} items again`, other)
      await times.add(`${count} items again`, "ours", () => assembleBlocks(stack, counter, budget, assembler))
    }
  }
  return [
    ...times.rows(),
    times.growth("1000 items, budget half: first", "5000 items, budget half: first", "growth 1,000 → 5,000"),
  ]
}

/** What is assembled to see how many times the floor's CPU it takes, and the most that it may take: less than twice what was measured. */
const mostBesideFloor = { first: { 1000: 1.8, 5000: 1.8 }, changed: { 1000: 3, 5000: 2.8 } } as const
const tries = 3
const ratioRuns = { warmUps: 25, measured: 9 }

/** Gates on the CPU of blocks, beside that of the floor in the same rounds. What fails is measured again: only what fails each time counts. */
export async function ratioGates(): Promise<Gate[]> {
  const gates: Gate[] = []
  for (const count of [1000, 5000] as const) {
    const least = { first: Number.POSITIVE_INFINITY, changed: Number.POSITIVE_INFINITY }
    const isOver = () => (["first", "changed"] as const).some((what) => least[what] > mostBesideFloor[what][count])
    for (let i = 0; i < tries && isOver(); i++) {
      const times = await blockTimes(count)
      for (const what of ["first", "changed"] as const) least[what] = Math.min(least[what], times.besideFloor(what))
    }
    for (const what of ["first", "changed"] as const) {
      const [value, most] = [least[what], mostBesideFloor[what][count]]
      const name = what === "first" ? `CPU of ${count} items of which half fall out` : `CPU of one changed of ${count} items`
      gates.push({
        name: `${name}, to the floor's with our counter`,
        ok: value <= most,
        detail: `${value.toFixed(1)}, at most ${most}`,
      })
    }
  }
  return gates
}

async function blockTimes(count: number): Promise<Times> {
  const times = new Times(ratioRuns.warmUps)
  for (let i = 0; i < ratioRuns.warmUps + ratioRuns.measured; i++) {
    const { blocks, other, budget } = newBlocks(count, i)
    const [{ counter }, stack, known] = [freshCounter(), stackOf(blocks), work.remembering(tiktoken.count)]
    const assembler = createAssembler()
    for (const [what, given] of [["first", blocks] as const, ["changed", other] as const]) {
      for (const [at, { key, text, rank }] of given.entries())
        if (text !== blocks[at]?.text) stack.add({ key, content: text, fit: { rank, shrink: "drop" } })
      await times.add(what, "strict", () => work.blocksFloor(given, budget, known))
      await times.add(what, "ours", () => assembleBlocks(stack, counter, budget, assembler))
    }
  }
  return times
}

async function chatRows(): Promise<Row[]> {
  const times = new Times(warmUps)
  for (let i = 0; i < rounds; i++) {
    const { chat, turn } = chatOf()
    const { counter } = freshCounter()
    for (const [who, count] of [
      ["floor", countWithPackage],
      ["strict", tiktoken.count],
    ] as const) {
      const known = work.remembering(count)
      if (who === "floor" && !isCounted(i)) continue
      await times.add("200-turn chat", who, () => {
        for (let at = 0; at < chat.turns; at++) work.chatFloor(chat, at, known)
      })
    }
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

/** Seams between texts that are counted already, beside a count of the whole: what they take depends on nothing but their number. */
async function seamRows(): Promise<Row[]> {
  const times = new Times(warmUps)
  const texts = work.blocks().map(({ text }) => text)
  const long = Array.from({ length: texts.length / 20 }, (_, index) => texts.slice(index * 20, index * 20 + 20).join("\n"))
  for (const [name, given] of [
    ["1,000 seams of items of 56 tokens, cold", texts],
    ["50 seams of texts of 1,100 tokens, cold", long],
  ] as const) {
    const joined = given.join("")
    for (let i = 0; i < rounds; i++) {
      const store = new PartStore(tiktoken.scan)
      const parts = given.map((text) => store.part(text))
      if (isCounted(i)) await times.add(name, "floor", () => countWithPackage(joined))
      await times.add(name, "strict", () => tiktoken.count(joined))
      await times.add(name, "ours", () => {
        let tail = messageStart
        for (const part of parts) tail = store.settleSeam(tail, part, () => joined).tail
      })
    }
  }
  return times.rows()
}

/** A first render, and the same one of which nothing tells what came from where. */
async function provenanceRows(): Promise<Row[]> {
  const times = new Times(warmUps)
  const blocks = work.blocks()
  const budget = half(blocks)
  const name = "1000 items, first: provenance"
  for (let i = 0; i < rounds; i++) {
    for (const whose of i % 2 === 0 ? (["floor", "ours"] as const) : (["ours", "floor"] as const)) {
      const [stack, { counter }] = [stackOf(blocks), freshCounter()]
      const render = whose === "ours" ? assembleBlocks : withoutProvenance
      await times.add(name, whose, () => render(stack, counter, budget))
    }
  }
  return times.rows()
}

/** A cut takes so little that ten are timed at once; each begins with a counter that has seen nothing. */
async function cutRows(): Promise<Row[]> {
  const times = new Times(warmUps)
  const text = longText()
  const notice = ({ kept, total }: { kept: number; total: number }) => `[...${kept} of ${total}...]`
  for (let i = 0; i < rounds; i++) {
    for (const maxTokens of [100, 1000]) {
      const counters = Array.from({ length: 10 }, () => freshCounter().counter)
      const name = `130 kB cut to ${maxTokens} tokens, 10 times`
      if (isCounted(i)) await times.add(name, "floor", () => counters.map(() => countWithPackage(text)))
      await times.add(name, "strict", () => counters.map(() => tiktoken.count(text)))
      await times.add(name, "ours", () => counters.map((counter) => truncateText(text, { maxTokens, counter, notice })))
    }
  }
  return times.rows()
}

async function templateRows(): Promise<Row[]> {
  const times = new Times(warmUps)
  const given = work.templateWork()
  const template = parseTemplate(given.source, { file: "bench.md" })
  const many = (render: () => string) => () => {
    for (let i = 0; i < 1000; i++) render()
  }
  for (let i = 0; i < rounds; i++) {
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
