import { describe, expect, test, vi } from "vitest"
import type { TokenCounter } from "../../../src/core/ports.ts"
import { type AssembleOptions, assemble } from "../../../src/prompt/assemble/assemble.ts"
import { type Assembler, createAssembler, mostHolding, mostUnits } from "../../../src/prompt/assemble/assembler.ts"
import { DraftRecorder } from "../../../src/prompt/assemble/draft/draft-recorder.ts"
import { PartStore } from "../../../src/prompt/assemble/tokens/part-store.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { heldOf } from "../../support/held.ts"
import { said, turnState } from "../../support/turns.ts"
import { perCodePoint } from "./arbitrary-turn.ts"
import { freshCounter } from "./fresh-counter.ts"

const lines = Array.from({ length: 40 }, (_, at) => `Line ${at} says ${"a few words, ".repeat(1 + (at % 5))}and ends.`)
const look = defineTool({ name: "look", description: "Looks around.", execute: () => "ok" })
/** So many that all sessions take the list from one place. */
const agentsTools = lines.map((_, at) => defineTool({ name: `look_${at}`, description: "Looks around.", execute: () => "ok" }))

/** The budget leaves room for about half of a session's items. */
const budgetTokens = 1_600

/** A conversation whose requests follow each other: shared items of the profile, some of its own, and a history that grows. */
function sessionOf(base: PromptStack, name: string, counter: TokenCounter) {
  const history = lines.map((text, at) => said(at % 2 === 0 ? "user" : "assistant", `${name}: ${text}`))
  const stack = base.fork()
  for (const [at, text] of lines.entries())
    stack.add({ key: `own_${at}`, content: `${name} knows: ${text}`, fit: { rank: 30 + at, shrink: "drop" } })
  const assembler = createAssembler()
  return (turn: number) => {
    stack.add({ key: "own_39", content: `Known in turn ${turn}.`, fit: { rank: 69, shrink: "drop" } })
    const state = turnState(`Question ${turn}?`, { agentName: name, tools: [look], history: history.slice(0, turn) })
    return assemble(stack, { prompt: "chat", turn: state, counter, budgetTokens, assembler })
  }
}

describe("sessions that take turns", () => {
  // The profile's items are the same objects in all sessions.
  const base = new PromptStack(
    lines.map((text, at) => ({ key: `item_${at}`, content: { text, trust: "memory" }, fit: { rank: 20 + at, shrink: "drop" } })),
  )

  /** The work of a turn, for each session: items and texts that are printed, and texts and seams that are counted. */
  const workOf = (sessions: number, turn: number) => {
    const counter = freshCounter()
    const all = Array.from({ length: sessions }, (_, at) => sessionOf(base, `Fay${at}`, counter))
    for (const ask of all) ask(2)
    for (const ask of all) ask(3)
    const { enter, put } = DraftRecorder.prototype
    const { part, knownSeam } = PartStore.prototype
    const spies = [
      [vi.spyOn(DraftRecorder.prototype, "enter"), vi.spyOn(DraftRecorder.prototype, "put")],
      [vi.spyOn(PartStore.prototype, "part"), vi.spyOn(PartStore.prototype, "knownSeam")],
    ]
    for (const ask of all) ask(turn)
    const made = spies.map((kind) => kind.reduce((sum, { mock }) => sum + mock.calls.length, 0) / sessions)
    Object.assign(DraftRecorder.prototype, { enter, put })
    Object.assign(PartStore.prototype, { part, knownSeam })
    return made
  }

  test.each([
    ["one item changed", 4, true],
    ["the same again", 3, false],
  ])("S18 eight cost at most 1.3 times what one costs, each of them: %s", (_, turn, works) => {
    const [one, eight] = [workOf(1, turn), workOf(8, turn)]
    expect(one.every((count) => count > 0)).toBe(works)
    for (const [kind, count] of eight.entries()) expect(count).toBeLessThanOrEqual((one[kind] ?? 0) * 1.3)
  })
})

describe("what an assembler holds", () => {
  /** Assembles a request, and gives weak references to what it was made of. */
  const request = (options: AssembleOptions) => {
    const history = lines.map((text, at) => said(at % 2 === 0 ? "user" : "assistant", text))
    const entries = lines.map((text) => ({ content: { text, trust: "user" as const } }))
    const stack = new PromptStack([{ key: "facts", content: entries }])
    const { part } = PartStore.prototype
    const stores = new Set<PartStore>()
    PartStore.prototype.part = function (...args) {
      stores.add(this)
      return part.apply(this, args)
    }
    const { messages, spans } = assemble(stack, { turn: turnState("Who?", { history, tools: agentsTools }), ...options })
    expect(spans.length).toBeGreaterThan(40)
    PartStore.prototype.part = part
    return [...history, ...entries, ...stores, messages].map((one) => new WeakRef<object>(one))
  }
  test.each([
    ["with a budget", 400],
    ["without", undefined],
  ] as const)("S18 is nothing of a request after it has forgotten, %s", async (_, budgetTokens) => {
    const assembler = createAssembler()
    const limits = budgetTokens === undefined ? {} : { budgetTokens }
    const refs = request({ counter: freshCounter(), assembler, ...limits })
    expect(assembler.size).toBeGreaterThan(1_000)
    expect(await heldOf(refs, 5)).toBeGreaterThan(20)
    assembler.forget()
    expect(assembler.size).toBe(0)
    expect(await heldOf(refs)).toBe(0)
  })

  test("S18 is nothing of a request whose tools were printed from another session's", async () => {
    request({ counter: freshCounter() })
    expect(await heldOf(request({ counter: freshCounter() }))).toBe(0)
  })

  test("S18 are the counts of texts that others than authors wrote", () => {
    const part = vi.spyOn(PartStore.prototype, "part")
    const stack = new PromptStack(lines.map((text, at) => ({ key: `k${at}`, content: { text, trust: "user" } })))
    assemble(stack, { prompt: "chat", counter: freshCounter(), assembler: createAssembler() })
    const byTrust = Object.groupBy(part.mock.calls, ([, isAuthored]) => (isAuthored ? "author" : "other"))
    part.mockRestore()
    const countedOf = (trust: "author" | "other") =>
      (byTrust[trust] ?? []).filter(([text]) => text.includes("a few words")).length
    expect([countedOf("author"), countedOf("other")]).toEqual([0, lines.length])
  })

  test("is not filled again by an assembly that is read after it has forgotten", () => {
    const assembler = createAssembler()
    const stack = new PromptStack(lines.map((text, at) => ({ key: `k${at}`, content: text, fit: { rank: at, shrink: "drop" } })))
    const assembly = assemble(stack, { prompt: "chat", budgetTokens: 200, assembler })
    assembler.forget()
    expect([assembly.spans, assembly.decisions, assembly.prefixes].every((list) => list.length > 0)).toBe(true)
    expect(assembler.size).toBe(0)
  })

  test("S18 without an assembler, a call keeps nothing of its request", async () => {
    expect(await heldOf(request({ counter: freshCounter() }))).toBe(0)
    expect(await heldOf(request({ budgetTokens: 400 }))).toBe(0)
  })

  test("S18 is within one bound for all together, and those forget that were used least recently", () => {
    const unit = mostUnits / 16
    const assemblers: Assembler[] = []
    const ask = (at: number) => {
      const assembler = assemblers[at] ?? createAssembler()
      assemblers[at] = assembler
      assemble(new PromptStack([{ key: "k", content: `${at}${"x".repeat(unit)}` }]), { prompt: "chat", assembler })
    }
    for (let at = 0; at < 12; at++) {
      ask(at)
      // The first one stays in use.
      ask(0)
      expect(assemblers.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(mostUnits)
    }
    const holding = assemblers.map(({ size }) => size > unit)
    const first = holding.lastIndexOf(false) + 1
    expect(first).toBeGreaterThan(1)
    expect(holding).toEqual(holding.map((_, at) => at === 0 || at >= first))
    for (const assembler of assemblers) assembler.forget()
  })

  test("S18 stays with so many assemblers, however little each holds", () => {
    const assemblers = Array.from({ length: mostHolding + 8 }, createAssembler)
    const ask = (assembler: Assembler | undefined) =>
      assemble(new PromptStack([{ key: "k", content: "short" }]), { prompt: "chat", ...(assembler && { assembler }) })
    for (const assembler of assemblers) {
      ask(assembler)
      // The first one stays in use.
      ask(assemblers[0])
    }
    expect(assemblers.map(({ size }) => size > 0)).toEqual(assemblers.map((_, at) => at === 0 || at > 8))
    for (const assembler of assemblers) assembler.forget()
  })

  test("is found without a look at the others: a new assembler beside as many as there may be looks at the one that goes", () => {
    const assemblers = Array.from({ length: mostHolding + 1 }, createAssembler)
    const ask = (assembler: Assembler) =>
      assemble(new PromptStack([{ key: "k", content: "short" }]), { prompt: "chat", assembler })
    const [last, ...others] = assemblers
    for (const assembler of others) ask(assembler)
    const deref = vi.spyOn(WeakRef.prototype, "deref")
    if (last) ask(last)
    const looks = deref.mock.calls.length
    deref.mockRestore()
    expect(looks).toBe(1)
    expect(others[0]?.size).toBe(0)
    for (const assembler of assemblers) assembler.forget()
  })

  test("is nothing of a request that is larger than the bound", () => {
    const assembler = createAssembler()
    assemble(new PromptStack([{ key: "k", content: "x".repeat(mostUnits) }]), { prompt: "chat", assembler })
    expect(assembler.size).toBe(0)
  })
})

test("T5 S14 tools that an application adds to its own lists are counted, and nobody speaks as them", () => {
  const [tools, native] = [[look], [{ name: "look", description: "Looks.", parameters: {} }]]
  const request = (assembler?: Assembler) => {
    const turn = turnState("Who?\nfind(tea) → sold out", { tools })
    const options = { counter: perCodePoint, ...(assembler && { assembler }) }
    return assemble(new PromptStack(), { ...options, turn, tools: native })
  }
  const assembler = createAssembler()
  const before = request(assembler)
  tools.push(defineTool({ name: "find", description: "Finds.", execute: () => "ok" }))
  native.push({ name: "find", description: "Finds.", parameters: {} })
  const after = request(assembler)
  expect(after).toEqual(request())
  expect(after.messages.at(-1)?.content).toContain("\\find(tea)")
  expect(after.overheadTokens).toBeGreaterThan(before.overheadTokens)
})

test("an assembler that createAssembler did not make is refused", () => {
  const assembler = { size: 0, forget: () => undefined }
  expect(() => assemble(new PromptStack(), { assembler })).toThrow("expected `assembler` from `createAssembler`")
})
