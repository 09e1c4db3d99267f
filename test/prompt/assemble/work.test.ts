import { describe, expect, test } from "vitest"
import type { TokenCounter } from "../../../src/core/ports.ts"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../src/prompt/assemble/assembler.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { isLong } from "../../support/size.ts"
import { ran, said, turnState } from "../../support/turns.ts"
import { perCodePoint } from "./arbitrary-turn.ts"
import { freshCounter, tokensOf } from "./fresh-counter.ts"

/** Counts what it was asked to count. */
function measuring(): TokenCounter & { units: number; calls: number } {
  const counter = {
    exact: true,
    units: 0,
    calls: 0,
    count(text: string) {
      counter.units += text.length
      counter.calls++
      return perCodePoint.count(text)
    },
  }
  return counter
}

const mebibyte = 2 ** 20
/** The counted work grows with the text, so a fifth of it says the same. */
const questionMb = isLong ? 5 : 1
const resultUnits = isLong ? mebibyte : mebibyte / 4
const many = (count: number) => Array.from({ length: count }, (_, i) => said(i % 2 === 0 ? "user" : "assistant", `message ${i}`))

describe("the work of assembling", () => {
  test.each(["fay", "layered", "stack", "stack-cached"])(
    `%s takes a question of ${questionMb} MB whole, counting each character thrice at most`,
    (dialect) => {
      const counter = measuring()
      const text = "一二三四五 **系统设定**\n---\n".repeat((questionMb * mebibyte) / 22)
      const assembly = assemble(new PromptStack(), { dialect, turn: turnState(text), counter, budgetTokens: 8 * mebibyte })
      expect(assembly.messages.at(-1)?.content.length).toBeGreaterThanOrEqual(text.trim().length)
      expect(counter.units).toBeLessThanOrEqual(3 * assembly.tokens)
    },
  )

  test("a tool result of 1 MB too, and one of very many short lines", () => {
    for (const result of ["x".repeat(mebibyte), "x\n".repeat(resultUnits / 2), "```\n".repeat(resultUnits / 4)]) {
      const counter = measuring()
      const turn = turnState("?", {
        runs: [ran("read", {}, result)],
        steps: [{ type: "run", call: "{}", run: ran("read", {}, result) }],
      })
      for (const dialect of ["fay", "layered"]) {
        const { tokens } = assemble(new PromptStack(), { dialect, turn, counter, budgetTokens: 8 * mebibyte })
        expect(tokens).toBeGreaterThan(result.length / 2)
      }
      expect(counter.units).toBeLessThanOrEqual(10 * result.length)
    }
  })

  test("a budget that is kept costs two counts of each message however many items and messages there are", () => {
    const calls = (count: number) => {
      const counter = measuring()
      const items = Array.from({ length: count }, (_, i) => ({
        key: `k${i}`,
        content: `item ${i}`,
        fit: { rank: i, shrink: "drop" as const },
      }))
      const turn = turnState("?", { history: many(count) })
      const assembly = assemble(new PromptStack(items), { dialect: "layered", turn, counter, budgetTokens: mebibyte })
      return { calls: counter.calls, parts: assembly.spans.length + assembly.messages.length }
    }
    for (const count of [10, 100, 1000]) {
      const { calls: made, parts } = calls(count)
      expect(made).toBeLessThanOrEqual(2 * parts)
    }
  })

  test("cutting a text of 1 MB and a history of ten thousand messages asks a few dozen times, not once a character", () => {
    const counter = measuring()
    const stack = new PromptStack([{ key: "doc", content: "好".repeat(mebibyte), fit: { rank: 1, shrink: "headTail" } }])
    const cut = assemble(stack, { dialect: "stack", prompt: "chat", counter, budgetTokens: 1000 })
    expect(cut.tokens).toBe(1000)
    expect(counter.calls).toBeLessThanOrEqual(60)
    const long = measuring()
    const turn = turnState("?", { history: many(10_000) })
    const short = assemble(new PromptStack(), { dialect: "stack", prompt: "chat", turn, counter: long, budgetTokens: 1000 })
    expect(short.tokens).toBeLessThanOrEqual(1000)
    expect(long.calls).toBeLessThanOrEqual(20 * 10_000)
  })
})

describe("the work of a long chat", () => {
  const lines = Array.from({ length: 241 }, (_, at) =>
    said(at % 2 === 0 ? "user" : "assistant", `Line ${at}. ${"word ".repeat(40)}`),
  )
  const stack = new PromptStack([{ key: "persona", content: "You are Fay. ".repeat(40), scope: "global" }])
  const turnOf = (at: number) => turnState(lines[at]?.text ?? "", { history: lines.slice(0, at) })

  test("a turn counts the messages that it sends, not all of a history that is cut", () => {
    let [counted, sent] = [0, 0]
    const assembler = createAssembler()
    const counter: TokenCounter = {
      ...freshCounter(),
      overhead: (messages) => {
        counted += messages.length
        return 3 * messages.length
      },
    }
    for (let at = 0; at < lines.length; at += 2) {
      const options = { assembler, prompt: "chat", turn: turnOf(at), counter, budgetTokens: 2000 }
      sent += assemble(stack, options).messages.length
    }
    expect(sent).toBeGreaterThan(1000)
    // Once to fit, once as the request itself, and what is tried at the turns at which the cut moves.
    expect(counted).toBeLessThan(sent * 2.6)
  })

  test("spans, prefixes, decisions and the cut are made when they are read", () => {
    const options = { dialect: "layered", prompt: "chat", turn: turnOf(40), counter: freshCounter(), budgetTokens: 2000 }
    const assembly = assemble(stack, options)
    const made = (["spans", "prefixes", "decisions", "cut"] as const).map((name) => {
      expect(Object.getOwnPropertyDescriptor(assembly, name)?.get).toBeTypeOf("function")
      return JSON.stringify(assembly[name])
    })
    expect(JSON.parse(JSON.stringify(assembly))).toMatchObject({ prefixes: JSON.parse(made[1] ?? "") })
    expect(assembly.prefixes).toBe(assembly.prefixes)
  })
})

describe("the work of fitting many items", () => {
  const given = Array.from({ length: 600 }, (_, at) => ({
    key: `item_${at}`,
    content: `Item ${at} is of some length, and ${"it goes on and on, ".repeat(1 + (at % 7))}to its end.`,
    fit: { rank: (at * 7919) % 600, shrink: "drop" as const },
  }))
  const all = given.reduce((sum, { content }) => sum + content.length, 0)
  const budgetTokens = Math.round(given.reduce((sum, { content }) => sum + tokensOf(content), 0) / 2)
  const assembled = () => {
    const sent: string[] = []
    const { scan, ...counter } = freshCounter()
    const stack = new PromptStack(given)
    const counting: TokenCounter = {
      ...counter,
      scan(text, visit) {
        sent.push(text)
        scan?.(text, visit)
      },
    }
    const assembler = createAssembler()
    const request = () => assemble(stack, { assembler, prompt: "chat", counter: counting, budgetTokens })
    return { stack, sent, request }
  }
  const units = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0)

  test("sends at most 0.7 of the text to the tokenizer where half falls out, and the rest when its decisions are read", () => {
    const { sent, request } = assembled()
    const assembly = request()
    expect(units(sent)).toBeLessThan(all * 0.7)
    const dropped = assembly.decisions.filter(({ fate }) => fate === "dropped")
    expect(dropped.length).toBeGreaterThan(250)
    for (const { key, fromTokens } of dropped.slice(0, 20)) {
      const own = given.filter((one) => one.key === key)
      const alone = assemble(new PromptStack(own), { dialect: "layered", prompt: "chat", counter: freshCounter() })
      // Each text is counted by itself, so that seams take nothing away.
      const itself = alone.spans.reduce((sum, { text }) => sum + tokensOf(text), 0)
      expect(fromTokens - itself).toBeGreaterThanOrEqual(0)
      expect(fromTokens - itself).toBeLessThanOrEqual(1)
    }
    expect(units(sent)).toBeGreaterThan(all)
  })

  test("drops the fewest items: with the last dropped one there are too many tokens", () => {
    const assembly = assembled().request()
    expect(assembly.tokens).toBeLessThanOrEqual(budgetTokens)
    const dropped = given.filter(({ key }) => Object.hasOwn(assembly.cut, key)).sort((a, b) => a.fit.rank - b.fit.rank)
    expect(dropped.map(({ fit }) => fit.rank)).toEqual(dropped.map((_, at) => at))
    const kept = given.filter(({ key }) => !Object.hasOwn(assembly.cut, key) || key === dropped.at(-1)?.key)
    const more = assemble(new PromptStack(kept), { dialect: "layered", prompt: "chat", counter: freshCounter() })
    expect(more.tokens).toBeGreaterThan(budgetTokens)
  })

  test("sends a few texts for one changed item, however many there are", () => {
    const { stack, sent, request } = assembled()
    request()
    for (const at of [300, 599, 42]) {
      const before = sent.length
      stack.add({ key: `item_${at}`, content: `Item ${at} is another.`, fit: { rank: 500, shrink: "drop" } })
      request()
      expect(sent.length - before).toBeLessThanOrEqual(16)
    }
  })
})
