import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readKeys } from "../../../../src/memory/services/background/memory-keys.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { collect, testAgent } from "../../../support/agents.ts"
import { type BackgroundAnswers, backgroundModel } from "../../../support/remembering.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { root } from "../../../support/source-files.ts"

const keysOf = (keys: unknown, texts: readonly string[] = ["I take the number four every day."]) =>
  readKeys(JSON.stringify({ importance: 7, keys }), texts, "m")

test.each(["en", "zh-CN"].flatMap((locale) => ["importance", "importance-and-profile"].map((name) => `${locale}/${name}`)))(
  "M18 the two examples in the prompt %s are read as an answer of that form is",
  (name) => {
    const prompt = readFileSync(`${root}prompts/shared/${name}.md`, "utf8").replaceAll("$", "")
    const [example = ""] = /\{"1": .*\}\]\}, "2": .*?\]\}\}/.exec(prompt) ?? []
    const lines = name.startsWith("en")
      ? ["haha, I'm allergic to nuts", "I quit Siemens yesterday"]
      : ["哈哈，我对花生过敏", "我昨天从西门子辞职了"]
    for (const line of lines) expect(prompt).toContain(line)
    const leftOut: unknown[] = []
    const [kept, ended] = readKeys(
      JSON.stringify({ importance: 9, keys: JSON.parse(example.replace("YYYY-MM-DD", "2026-03-03")) }),
      lines,
      "m",
      leftOut,
    )
    expect(leftOut).toEqual([])
    expect([kept?.importance, kept?.facts?.[0]?.value === undefined]).toEqual([9, false])
    // A fact without a value has ended.
    expect([ended?.facts?.map((fact) => fact.value), ended?.dates]).toEqual([[undefined], ["2026-03-03"]])
  },
)

describe("the keys in an answer", () => {
  test.each<[string, unknown, unknown]>([
    ["an object by line", { "1": { words: ["tram", "commute"] } }, { words: ["tram", "commute"], by: "m" }],
    ["a list", [{ words: ["tram"] }], { words: ["tram"], by: "m" }],
    ["a list with lines", [{ line: 1, words: ["tram"] }], { words: ["tram"], by: "m" }],
    ["words in one text", { "1": { words: "tram, commute、通勤" } }, { words: ["tram", "commute", "通勤"], by: "m" }],
    ["words alone", { "1": ["tram"] }, { words: ["tram"], by: "m" }],
    ["words that the line holds", { "1": { words: ["Number Four", "tram", "TRAM"] } }, { words: ["TRAM"], by: "m" }],
    [
      "more than six words",
      { "1": { words: [..."abcdefgh"].map((letter) => `${letter}x`) } },
      { words: ["ax", "bx", "cx", "dx", "ex", "fx"], by: "m" },
    ],
    [
      "a fact",
      { "1": { words: ["tram"], subject: "Ann", relation: "commute" } },
      { words: ["tram"], subject: "Ann", relation: "commute", by: "m" },
    ],
    ["half a fact", { "1": { words: ["tram"], subject: "Ann" } }, { words: ["tram"], by: "m" }],
    [
      "dates, some of them none",
      { "1": { words: [], dates: ["2026-03-04", "2026-13-40", "tomorrow", 5] } },
      { words: [], dates: ["2026-03-04"], by: "m" },
    ],
    ["another line", { "2": { words: ["tram"] } }, undefined],
    ["nothing", undefined, undefined],
    ["a number", 5, undefined],
    ["members of other types", { "1": { words: [5, null, {}], subject: 5, relation: [], dates: {} } }, undefined],
  ])("%s", (_, keys, expected) => {
    expect(keysOf(keys)).toEqual([expected])
  })

  test("may be anything: what is read is short, and nothing is thrown", () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (keys, around) => {
        for (const answer of [JSON.stringify({ keys }) ?? "", around, `${around}{"keys": {"1": ${around}`]) {
          for (const read of readKeys(answer, ["one", "two"], "m")) {
            expect(read?.words.every((word) => word.length <= 40 && word.trim() !== "") ?? true).toBe(true)
            expect(read?.words.length ?? 0).toBeLessThanOrEqual(6)
          }
        }
      }),
      { seed: seedOf(22), numRuns: runs(100) },
    )
  })
})

const key = { conversation: "test", audience: "private", user: "test" } as const
const dayMs = 86_400_000

function scene(answers: BackgroundAnswers, profile: Parameters<typeof testAgent>[1] = {}) {
  const store = createInMemoryStore()
  const clock = manualClock(Date.UTC(2026, 2, 4))
  const model = backgroundModel(answers)
  const made = testAgent(model, profile, { store, ports: { clock } })
  const own = { ...key, agent: made.session.key.agent }
  const say = async (text: string) => {
    const { trace } = await made.session.send(text).result
    await made.agent.idle()
    const receipts = await store.receipts.ofTurn(trace.turnId, own)
    return Object.fromEntries(receipts.map(({ kind, message }) => [kind, message]))
  }
  const ask = async (text: string) => {
    const { trace } = await made.agent.session("another").send(text, { from: { id: "test" } }).result
    await made.agent.idle()
    return trace.recalled?.map((memory) => memory.text) ?? []
  }
  const prompts = () =>
    model.asked
      .filter(({ facts }) => facts?.prompt === "importance")
      .map(({ messages }) => messages.map(({ content }) => content).join("\n"))
  return { ...made, store, model, clock, own, say, ask, prompts }
}

describe("keys of memories", () => {
  const withKeys = '{"importance": 7, "keys": {"1": {"words": ["tram", "commute"], "dates": ["2026-03-04"]}}}'

  test("M6 T32 one call asks for the importance and for keys, which are stored beside the words and find them", async () => {
    const { store, own, say, ask, prompts, model } = scene({
      importance: withKeys,
      turn: () => '{"action":"finish","message":"好"}',
    })
    const receipts = await say("I take the number four every day.")
    expect(receipts.importance).toBe("importance 7, keys of 1")
    expect(model.count("importance")).toBe(1)
    expect(prompts()[0]).toMatchSnapshot()
    const [memory] = await store.memories.recent(own, { limit: 1 })
    expect(memory).toMatchObject({
      text: "I take the number four every day.",
      keys: { words: ["tram", "commute"], dates: ["2026-03-04"], by: "background" },
    })
    expect(await ask("How is the tram?")).toEqual(["I take the number four every day."])
    expect(
      model.asked
        .at(-3)
        ?.messages.map(({ content }) => content)
        .join("\n"),
    ).not.toContain("commute")
  })

  test.each([
    [
      "4 and 9",
      '{"importance": 4, "keys": {"1": {"importance": 9}}}',
      ["I am allergic to penicillin"],
      "1 stored, 1 of no importance",
    ],
    ["8 and 1", '{"importance": 8, "keys": {"1": {"importance": 1}}}', ["That sounds serious"], "1 stored, 1 of no importance"],
    ["4 and 3", '{"importance": 4, "keys": {"1": {"importance": 3}}}', [], "importance 4 is below 5"],
    [
      "8 and none",
      '{"importance": 8, "keys": {"1": {"importance": 99}}}',
      ["I am allergic to penicillin", "That sounds serious"],
      "2 stored",
    ],
  ])("M18 a line counts by its own importance, where it has one: %s", async (_, importance, kept, told) => {
    const message = "That sounds serious"
    const { store, own, say } = scene({ importance, turn: () => JSON.stringify({ action: "finish", message }) })
    expect((await say("I am allergic to penicillin")).store).toBe(told)
    expect((await store.memories.recent(own, { limit: 9 })).map(({ text }) => text)).toEqual(kept)
  })

  test("M6 T32 keys that cannot be read cost nothing", async () => {
    for (const answer of [
      "7",
      '{"importance": 7, "keys": 5}',
      '{"importance": 7, "keys": {"1": {"words": ["tra',
      '7\n{"keys": {}}',
    ]) {
      const { say, store, own } = scene({ importance: answer })
      expect((await say("I take the number four every day.")).importance).toMatch(/^importance 7, /)
      expect(await store.memories.recent(own, { limit: 9 })).toHaveLength(2)
    }
  })

  test("T32 numbers in keys are no importance", async () => {
    for (const answer of ['{"keys": {"1": {"words": ["tram"], "dates": ["2026-03-04"]}}}', '"keys": {"1": {"dates": ["2026']) {
      const { say } = scene({ importance: answer })
      expect((await say("I take the number four.")).importance).toBe("no number from 0 to 10 in the answer")
    }
  })

  test("without `keys` the model is asked for a number alone", async () => {
    const { say, prompts } = scene({ importance: withKeys }, { memory: { keys: false } })
    expect((await say("I take the number four every day.")).importance).toBe("importance 7")
    expect(prompts()[0]).not.toMatch(/JSON|keys|第 1 行/)
  })

  test("M6 keys are exported, imported and forgotten with their memory", async () => {
    const { store, own, say } = scene({ importance: withKeys })
    await say("I take the number four every day.")
    const lines = await collect(store.export({ agent: own.agent }))
    expect(lines.join("\n")).toContain("commute")
    const copy = createInMemoryStore()
    await copy.import(lines)
    expect(await collect(copy.export({ agent: own.agent }))).toEqual(lines)
    await store.forget({ agent: own.agent, user: "test" })
    expect((await collect(store.export({ agent: own.agent }))).join("\n")).not.toContain("commute")
  })
})

describe("a fact that changes", () => {
  const home = (request: { readonly messages: readonly { readonly content: string }[] }) =>
    /Paris|Madrid|Rome/.test(request.messages.map(({ content }) => content).join("\n"))
      ? '{"importance": 7, "keys": {"1": {"words": ["city"], "subject": "主人", "relation": "Home"}}}'
      : "7"
  const live = async () => {
    const made = scene({ importance: home, turn: () => '{"action":"finish","message":"好"}' })
    const receipts: (string | undefined)[] = []
    for (const text of ["I live in Paris.", "The weather is fine.", "We moved to Madrid last week."]) {
      receipts.push((await made.say(text)).store)
      made.clock.advance(100 * dayMs)
    }
    return { ...made, receipts }
  }

  test("the newer telling is linked to the earlier one, and the receipt says so", async () => {
    const { store, own, receipts } = await live()
    const [paris, , madrid] = await store.memories.recent(own, { limit: 9 })
    expect(madrid?.updates).toEqual([paris?.id])
    expect(paris?.supersededBy).toBeUndefined()
    expect(receipts[2]).toContain(`${madrid?.id} tells anew what ${paris?.id} told`)
  })

  test("what holds now comes first, though it shares no word with the question; what was before comes first where that is asked", async () => {
    const { ask } = await live()
    const [paris, madrid] = ["I live in Paris.", "We moved to Madrid last week."]
    expect((await ask("Where do I live?")).slice(0, 2)).toEqual([madrid, paris])
    expect((await ask("Where do I live now?")).slice(0, 2)).toEqual([madrid, paris])
    expect((await ask("Where did I live before?")).slice(0, 1)).toEqual([paris])
    expect((await ask("Where did I live at first?")).slice(0, 1)).toEqual([paris])
  })
})
