/**
 * What is assembled in the benchmarks, ours and the peers', and the floor of each work: what it costs with cached counts
 * and one join, for whoever needs no provenance, no decisions and no exact count of the whole. Pure and deterministic.
 */
import { mulberry32 } from "../../src/core/mulberry.ts"

/** W1: a text of some 56 tokens; the lowest rank goes first. */
export interface Block {
  readonly key: string
  readonly text: string
  readonly rank: number
}

/** W2: a line of a chat. */
export interface ChatLine {
  readonly role: "user" | "assistant"
  readonly text: string
}

/** W2: a system prompt of some 4,000 tokens, two lines a turn of some 160 each, and a budget. */
export interface Chat {
  readonly system: string
  readonly lines: readonly ChatLine[]
  readonly turns: number
  readonly budgetTokens: number
}

/** W3: a template in this library's language, and in mustache's; every value is plain text. */
export interface TemplateWork {
  readonly source: string
  readonly mustache: string
  readonly values: Readonly<Record<string, string>>
  /** The literal parts: `literals[0] + values.v0 + literals[1] + …`. */
  readonly literals: readonly string[]
}

/** Tokens of a text, remembered by whoever gives it. */
export type CountText = (text: string) => number

const words = `the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which
one you were her all she there would their we him been has when who will more no if out so said what up its about into than
them can only other new some could time these two may then do first any my now such like our over man me even most made after
also did many before must through back years where much your way well down should because each just those people how too little
state good very make world still own see men work long get here between both life being under never day same another know while
last might us great old year off come since against go came right used take three weather garden river letter morning kitchen
window promise remember answer question teacher mountain silver orange village history planet science machine network quietly
suddenly perhaps umbrella breakfast photograph telephone 12 365 2026 Hangzhou 杭州 今天 天气 我们 一起 recalled`.split(/\s+/)

/** Sentences of so many words. */
function prose(random: () => number, count: number): string {
  const sentences: string[] = []
  for (let left = count; left > 0; ) {
    const length = Math.min(left, 6 + Math.floor(random() * 12))
    const picked = Array.from({ length }, () => words[Math.floor(random() * words.length)] ?? "")
    const [first = "", ...rest] = picked
    sentences.push(`${[first.slice(0, 1).toUpperCase() + first.slice(1), ...rest].join(" ")}.`)
    left -= length
  }
  return sentences.join(" ")
}

/** W1: `count` blocks whose ranks are a permutation of 0 to `count` - 1. */
export function blocks(count = 1000, seed = 1): Block[] {
  const random = mulberry32(seed)
  const ranks = Array.from({ length: count }, (_, index) => ({ index, at: random() })).sort((a, b) => a.at - b.at)
  const made: Block[] = Array.from({ length: count }, (_, index) => ({
    key: `block_${index}`,
    text: prose(random, 49),
    rank: 0,
  }))
  for (const [rank, { index }] of ranks.entries()) made[index] = { ...(made[index] as Block), rank }
  return made
}

/** W1: the same blocks with the text of one replaced, one that is kept. */
export function withOneChanged(given: readonly Block[], seed = 2): Block[] {
  const changed = given.findIndex(({ rank }) => rank > given.length * 0.75)
  return given.map((block, index) => (index === changed ? { ...block, text: prose(mulberry32(seed), 49) } : block))
}

/** W1's floor: the highest ranks that fit, by the sum of their counts, joined in the order given. */
export function blocksFloor(given: readonly Block[], budgetTokens: number, count: CountText): string {
  const counted = given.map((block, index) => ({ index, rank: block.rank, tokens: count(block.text) }))
  counted.sort((a, b) => b.rank - a.rank)
  const kept = new Array<boolean>(given.length).fill(false)
  let left = budgetTokens
  for (const { index, tokens } of counted) {
    if (tokens > left) break
    left -= tokens
    kept[index] = true
  }
  const texts: string[] = []
  for (const [index, { text }] of given.entries()) if (kept[index]) texts.push(text)
  return texts.join("\n\n")
}

/**
 * W1 by hand, exactly: sums of remembered counts say how many of the highest ranks may fit, and counts of the joined text how many
 * do. It begins with nothing remembered.
 */
export function exactBlocks(count: CountText): (given: readonly Block[], budgetTokens: number) => string {
  const known = remembering(count)
  return (given, budgetTokens) => {
    const order = given.toSorted((a, b) => b.rank - a.rank)
    const joined = (most: number): string => {
      const kept = new Set(order.slice(0, most))
      return given
        .filter((block) => kept.has(block))
        .map(({ text }) => text)
        .join("\n\n")
    }
    let most = 0
    for (let sum = 0; most < order.length; most++) {
      sum += known(order[most]?.text ?? "")
      if (sum > budgetTokens) break
    }
    let text = joined(most)
    while (most > 0 && count(text) > budgetTokens) text = joined(--most)
    for (let more = joined(most + 1); most < order.length && count(more) <= budgetTokens; more = joined(++most + 1)) text = more
    return text
  }
}

/** W2: a chat of so many turns. */
export function chat(turns = 200, seed = 3): Chat {
  const random = mulberry32(seed)
  const system = Array.from({ length: 32 }, () => prose(random, 110)).join("\n\n")
  const lines = Array.from(
    { length: turns * 2 },
    (_, index): ChatLine => ({
      role: index % 2 === 0 ? "user" : "assistant",
      text: prose(random, 90 + Math.floor(random() * 80)),
    }),
  )
  return { system, lines, turns, budgetTokens: 16_000 }
}

/** W2's floor for one turn, `turn` from 0: the longest suffix up to its question that fits by the sum of counts, joined. */
export function chatFloor({ system, lines, budgetTokens }: Chat, turn: number, count: CountText): string {
  let left = budgetTokens - count(system)
  const end = turn * 2 + 1
  let from = end
  while (from > 0) {
    const tokens = count(lines[from - 1]?.text ?? "")
    if (tokens > left) break
    left -= tokens
    from--
  }
  const texts = [system]
  for (let at = from; at < end; at++) texts.push(lines[at]?.text ?? "")
  return texts.join("\n\n")
}

/** W3: a template of so many variables, each with some words around it. */
export function templateWork(variables = 24, seed = 4): TemplateWork {
  const random = mulberry32(seed)
  const names = Array.from({ length: variables }, (_, index) => `v${index}`)
  const values = Object.fromEntries(names.map((name) => [name, prose(random, 12)]))
  const literals = [...names.map((_, index) => `${index === 0 ? "" : ".\n"}${prose(random, 8)} `), ".\n"]
  const joined = (open: string, close: string) =>
    literals.reduce(
      (text, literal, index) => `${text}${literal}${index < names.length ? `${open}${names[index]}${close}` : ""}`,
      "",
    )
  return { source: joined("${", "}"), mustache: joined("{{{", "}}}"), values, literals }
}

/** W3's floor: the values between the literals. */
export function templateFloor({ literals, values }: TemplateWork): string {
  let text = ""
  for (let index = 0; index < literals.length; index++) text += (literals[index] ?? "") + (values[`v${index}`] ?? "")
  return text
}

/** Counts each text once, as an application does that keeps its counts. */
export function remembering(count: CountText): CountText {
  const known = new Map<string, number>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const tokens = count(text)
    known.set(text, tokens)
    return tokens
  }
}
