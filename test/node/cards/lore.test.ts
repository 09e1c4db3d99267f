import { describe, expect, test, vi } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { forgetRequests } from "../../../src/prompt/assemble/assembler.ts"
import { countingIds, manualClock, type ScriptedModel, scriptedModel } from "../../../src/testing/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const data = {
  name: "Mei",
  description: "{{char}} keeps a shop.",
  first_mes: "Welcome, {{user}}!",
  alternate_greetings: ["Rain again.", "We are closed."],
  group_only_greetings: ["Welcome, all!"],
}
type Fields = Readonly<Record<string, unknown>>
const entry = (content: string, more: Fields = {}) => ({ keys: ["all"], content, ...more })
const at = (depth: number, content: string, role: number) => entry(content, { extensions: { position: 4, depth, role } })

/** A conversation with a card of some lore, under a profile with more settings. */
async function opened(book: Fields, { settings = "", more = {}, model = scriptedModel([]), files = {} }: Partial<Opened> = {}) {
  const card = { spec: "chara_card_v3", data: { ...data, ...more, character_book: book } }
  const folder = tempFolder({
    "mei.json": JSON.stringify(card),
    "mei.toml": `[prompt]\ndialect = "tavern"\npersona = "./mei.json"\n[loop]\nmode = "chat"\n${settings}`,
    ...files,
  })
  const clock = manualClock(1_000)
  const profile = await loadProfile(`${folder}/mei.toml`, { env: {}, locale: "en", clock })
  const agent = createAgent({ profile, model, ports: { clock, ids: countingIds() } })
  return { profile, agent, session: agent.session("c"), folder }
}

interface Opened {
  readonly settings: string
  readonly more: Fields
  readonly model: ScriptedModel
  readonly files: Readonly<Record<string, string>>
}

const asCard = '[lorebook]\nplace = "card"\n'
const answers = (count: number) => scriptedModel(Array.from({ length: count }, (_, number) => `Answer ${number + 1}.`))
/** The dialect's own words, which stand first. */
const own = (name: string) => `You play ${name}. Write what ${name} says and does next in this conversation.`
const lore = (text: string) => `[lore]\n${text}\n[/lore]`

test("C32: patterns that cost a turn too much are left out, and its trace tells", async () => {
  const keys = Array.from({ length: 300 }, (_, number) => `/[ab]+[cd]{${number + 2}}[ef]/`)
  const { session } = await opened(
    { entries: keys.map((key) => entry("Rare.", { keys: [key], use_regex: true })) },
    { model: answers(1) },
  )
  const { trace } = await session.send(`${"ab".repeat(40_000)}cdef`).result
  expect(trace.warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^Lorebook card: The texts are too long for so many patterns: \d+ were not searched for in all of them, such as \/\[ab/,
    ),
  ])
})

test("C36: each turn searches new texts alone, whatever the depth and recursion, until the session forgets", async () => {
  const text = vi.spyOn(RegExp.prototype, "test")
  const searched = (key: string) =>
    text.mock.calls.flatMap(([given], at) => ((text.mock.contexts[at] as RegExp).source === key ? [given] : []))
  const entries = [
    entry("See the gate.", { keys: ["/(?:the )?wyrm\\d?/"], use_regex: true }),
    entry("A gate.", { keys: ["gate"] }),
  ]
  const { session } = await opened({ entries, scan_depth: 9, recursive_scanning: true }, { model: answers(4) })
  const turn = async (words: string) => {
    text.mockClear()
    const { trace } = await session.send(words).result
    return [searched("(?:the )?wyrm\\d?"), trace.steps[0]?.assembly.lore?.length]
  }
  expect(await turn("A wyrm1?")).toEqual([["A wyrm1?", "See the gate.", "A gate."], 2])
  expect(await turn("Well.")).toEqual([["Well.", "Answer 1."], 2])
  expect(await turn("Well.")).toEqual([["Answer 2."], 2])
  forgetRequests()
  expect((await turn("So."))[0]).toEqual([
    "So.",
    "Answer 3.",
    "Well.",
    "Answer 2.",
    "Answer 1.",
    "A wyrm1?",
    "See the gate.",
    "A gate.",
  ])
  text.mockRestore()
})

describe("the place of lore", () => {
  const deep = [
    at(4, "Four, as the user.", 1),
    at(4, "Four again.", 1),
    at(3, "Three, as the agent.", 2),
    at(2, "Two.", 0),
    at(1, "One.", 0),
    at(0, "Nought.", 0),
    at(99, "Too deep.", 0),
    entry("@@reverse_depth 1\n@@role assistant\nFrom the beginning."),
    entry("@@reverse_depth 50\nFrom far behind."),
  ]

  test("C14: with place card, an entry at a depth stands among the messages of history, in its role and in a frame", async () => {
    const { session } = await opened({ entries: deep }, { settings: asCard, model: answers(2) })
    await session.send("First").result
    await session.send("Second").result
    const { messages, spans } = await session.preview("Tell me all.", { prompt: "chat" })
    expect(messages.slice(1).map(({ role, content }) => `${role}: ${content}`)).toEqual([
      `system: ${lore("Too deep.")}`,
      "user: First",
      `user: ${lore("Four again.\nFour, as the user.")}`,
      `assistant: ${lore("From the beginning.")}`,
      "assistant: Answer 1.",
      `assistant: ${lore("Three, as the agent.")}`,
      "user: Second",
      `system: ${lore("Two.")}`,
      "assistant: Answer 2.",
      `user: ${lore("One.\nFrom far behind.")}\n\nTell me all.\n\n${lore("Nought.")}`,
    ])
    expect(spans.find(({ text }) => text === "Four again.")).toMatchObject({
      key: "lorebook.depth/4.user/card.1",
      trust: "tool",
      stability: "turn",
    })
  })

  test("C14: in a dialect without places inside the history they stand with the other context", async () => {
    const { profile } = await opened({ entries: deep.slice(0, 2) }, { settings: asCard })
    const agent = createAgent({ profile: { ...profile, dialect: "layered" }, model: answers(1) })
    const session = agent.session("c")
    await session.send("First").result
    const { messages } = await session.preview("all", { prompt: "chat" })
    expect(messages.at(-1)?.content).toContain("[context: lorebook.depth/4.user/card.0]\nFour, as the user.\n[/context]")
  })

  test("C20: by default, what is in stands behind the history; what is always in keeps the card's own place", async () => {
    const entries = [
      entry("Called."),
      at(4, "Deep.", 1),
      entry("Always.", { constant: true }),
      entry("Maybe.", { constant: true, extensions: { probability: 99, useProbability: true } }),
      entry("After.", { constant: true, position: "after_char" }),
    ]
    const { session } = await opened({ entries }, { model: answers(1) })
    await session.send("First").result
    const { messages, decisions } = await session.preview("Tell me all.", { prompt: "chat" })
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"])
    expect(messages[0]?.content).toBe(`${own("Mei")}\n\nAlways.\n\nMei keeps a shop.\n\nAfter.`)
    expect(messages.at(-1)?.content).toBe(`${lore("Maybe.\n\nDeep.\n\nCalled.")}\n\nTell me all.`)
    expect(decisions.filter(({ key }) => key.startsWith("lorebook")).map(({ key }) => key)).toEqual([
      "lorebook.after/card.4",
      "lorebook/card.3",
      "lorebook.before/card.2",
      "lorebook/card.1",
      "lorebook/card.0",
    ])
  })
})

describe("what a provider can cache of a card", () => {
  const steady = {
    personality: "{{char}} is calm with {{user}}.",
    scenario: "{{pick:Rain,Snow}} at the shop of {{char}}.",
    mes_example: "<START>\n{{user}}: hi\n{{char}}: hello",
  }
  const always = { entries: [entry("{{char}} sells books.", { constant: true }), entry("Called.", { keys: ["book"] })] }
  const inEach = async (
    { character_book = always, ...more }: Fields,
    from: readonly string[],
    audience: "private" | "group" = "private",
  ) => {
    const { agent } = await opened(character_book as Fields, { more: { ...steady, ...more }, model: answers(3) })
    const talk = agent.session({ conversation: "g", audience })
    const assemblies = []
    for (const id of from) {
      const { trace } = await talk.send("Any book?", { from: { id, name: id } }).result
      assemblies.push(trace.steps[0]?.assembly)
    }
    return assemblies.map((assembly) => ({
      session: assembly?.prefixes.find(({ stability }) => stability === "session"),
      whole: assembly?.spans.reduce((sum, span) => sum + (span.message === 0 ? span.tokens : 0), 0),
    }))
  }

  test("C20: the system message is one prefix in all turns of a conversation, lore that is always in included", async () => {
    const [first, second] = await inEach({}, ["ann", "ann"])
    expect(first?.session?.tokens).toBe(first?.whole)
    expect(second?.session?.tokens).toBe(first?.whole)
    expect(second?.session?.fingerprint).toBe(first?.session?.fingerprint)
  })

  test("C20: a text with a macro of the turn ends the prefix, and so does {{user}} in lore of a group alone", async () => {
    const [timed] = await inEach({ scenario: "It is {{time}}." }, ["ann"])
    expect(timed?.session?.tokens).toBeLessThan(timed?.whole ?? 0)
    const [group] = await inEach({}, ["ann"], "group")
    expect(group?.session?.tokens).toBe(group?.whole)
    const character_book = { entries: [entry("{{user}} is a guest.", { constant: true })] }
    const [named] = await inEach({ character_book }, ["ann"], "group")
    expect(named?.session?.tokens).toBeLessThan(named?.whole ?? 0)
  })

  test("C14 C15: lore that is in no more is gone, and new lore stands where its order says", async () => {
    const entries = [
      entry("Third.", { constant: true, insertion_order: 3 }),
      entry("Second.", { keys: ["book"], insertion_order: 2 }),
    ]
    const { session } = await opened({ entries, scan_depth: 1 }, { model: answers(2), settings: asCard })
    await session.send("a book").result
    const shown = async (words: string) => (await session.preview(words, { prompt: "chat" })).messages[0]?.content
    expect(await shown("a book")).toBe(`${own("Mei")}\n\nSecond.\n\nThird.\n\nMei keeps a shop.`)
    expect(await shown("b")).toBe(`${own("Mei")}\n\nThird.\n\nMei keeps a shop.`)
  })
})

describe("the budget of lore", () => {
  const entries = [
    entry("one ".repeat(40), { insertion_order: 1 }),
    entry("two ".repeat(40), { insertion_order: 3 }),
    entry("three ".repeat(40), { insertion_order: 2, constant: true }),
  ]

  test("C15: a quarter of the request's tokens, or the book's own number; what is left out is told", async () => {
    const shown = async (book: Fields, settings: string) => {
      const { session } = await opened({ entries, ...book }, { settings })
      const { lore: looked = [] } = await session.preview("all", { prompt: "chat" })
      return looked.map(({ outcome }) => outcome).join()
    }
    expect(await shown({}, "")).toBe("in,in,in")
    expect(await shown({}, "[budget]\ntokens = 400\nanswer_tokens = 0\n")).toBe("room,in,in")
    expect(await shown({}, "[budget]\ntokens = 400\nanswer_tokens = 0\n[lorebook]\nbudget_share = 0.15\n")).toBe("room,room,in")
    expect(await shown({}, "[budget]\ntokens = 400\nanswer_tokens = 0\n[lorebook]\nbudget_share = 0\n")).toBe("room,room,room")
    expect(await shown({ token_budget: 1_000 }, "[budget]\ntokens = 400\nanswer_tokens = 0\n")).toBe("in,in,in")
  })

  test("C15: a request that is too long drops the entries that are worth least, one by one", async () => {
    const { session } = await opened(
      { entries, token_budget: 1_000 },
      { settings: "[budget]\ntokens = 140\nanswer_tokens = 0\n" },
    )
    const { decisions } = await session.preview("all", { prompt: "chat" })
    const fates = decisions.filter(({ key }) => key.startsWith("lorebook"))
    expect(fates.map(({ key, fate }) => `${key} ${fate}`).toSorted()).toEqual([
      "lorebook.before/card.2 kept",
      "lorebook/card.0 dropped",
      "lorebook/card.1 kept",
    ])
  })
})

describe("lore in time", () => {
  const called = { entries: [{ keys: ["shop"], content: "The shop is old.", extensions: { sticky: 3, cooldown: 4 } }] }
  const inEach = async (session: Awaited<ReturnType<typeof opened>>["session"], ...texts: string[]) => {
    const seen: boolean[] = []
    for (const text of texts) {
      const result = await session.send(text).result
      seen.push(result.trace.steps[0]?.assembly.messages.at(-1)?.content.includes("The shop is old.") === true)
    }
    return seen
  }

  test("C20: stay_turns keeps an entry for some turns more", async () => {
    const book = { entries: [{ keys: ["shop"], content: "The shop is old." }] }
    const texts = ["shop", "a", "b", "c", "d"]
    const short = await opened(book, { model: answers(5) })
    expect(await inEach(short.session, ...texts)).toEqual([true, false, false, false, false])
    const long = await opened(book, { model: answers(5), settings: "[lorebook]\nstay_turns = 2\n" })
    expect(await inEach(long.session, ...texts)).toEqual([true, true, true, false, false])
  })

  test("C17: what sticks or rests because of words is taken back with them, by rewind and by edit", async () => {
    const { session } = await opened(called, { model: answers(12) })
    expect(await inEach(session, "a", "shop", "b")).toEqual([false, true, true])
    const [, , first] = await session.history()
    await session.rewind((await session.history())[1]?.turnId ?? "")
    expect(first?.text).toBe("shop")
    // Nothing sticks any more, and nothing rests.
    expect(await inEach(session, "c", "shop", "d", "shop")).toEqual([false, true, true, false])
    const said = (await session.history()).find(({ text }) => text === "shop")
    await (await session.edit(said?.id ?? "", "no shoe"))?.result
    expect(await inEach(session, "e", "shop")).toEqual([false, true])
  })

  test("C17: rewind, regenerate, fork and choose each give the lore of the branch on which the conversation goes on", async () => {
    const { agent, session } = await opened(called, { model: answers(20) })
    const shows = async (of = session) =>
      (await of.preview("x", { prompt: "chat" })).messages.at(-1)?.content.includes("The shop is old.") === true
    const last = async () => (await session.history()).at(-1)?.turnId ?? ""
    expect(await inEach(session, "a", "shop")).toEqual([false, true])
    const called1 = await last()
    expect(await shows()).toBe(true)
    // Another answer to the same words called it as well.
    await session.regenerate().result
    expect(await shows()).toBe(true)
    await session.fork("other")
    expect(await shows(agent.session("other"))).toBe(true)
    const said = (await session.history()).findLast(({ role }) => role === "user")
    await (await session.edit(said?.id ?? "", "no shoe"))?.result
    const uncalled = await last()
    expect(await shows()).toBe(false)
    await session.choose(called1)
    expect(await shows()).toBe(true)
    await session.choose(uncalled)
    expect(await shows()).toBe(false)
    // It comes back resting, if it rested at the branch's end.
    await session.choose(called1)
    expect(await inEach(session, "b", "shop")).toEqual([true, false])
    const resting = await last()
    await session.rewind((await session.history())[1]?.turnId ?? "")
    expect(await inEach(session, "shop")).toEqual([true])
    await session.choose(resting)
    expect(await inEach(session, "shop")).toEqual([false])
  })
})

describe("greetings", () => {
  test("C8: a conversation begins with the greeting that the profile or the program chooses", async () => {
    const { profile, folder } = await opened({}, { settings: "" })
    expect([profile.greeting, profile.greetings]).toEqual([
      "Welcome, User!",
      ["Welcome, User!", "Rain again.", "We are closed.", "Welcome, all!"],
    ])
    const load = (greeting: number) => loadProfile(`${folder}/mei.toml`, { env: {}, locale: "en", greeting })
    expect((await load(2)).greeting).toBe("Rain again.")
    expect((await load(4)).greeting).toBe("Welcome, all!")
    await expect(load(5)).rejects.toThrow("expected the number of a greeting from 1 to 4, found 5.")
  })

  test("C8 C16: the session knows with which greeting it began, also once that is out of sight", async () => {
    const entries = [
      entry("@@is_greeting 1\nIt rains.", { constant: true }),
      entry("@@is_greeting 0\nThe sun shines.", { constant: true }),
    ]
    const settings = "[history]\ncontext_count = 2\n"
    const { profile, session } = await opened({ entries }, { settings, model: answers(4) })
    await session.hear("Rain again.", { from: { id: profile.agent.id } })
    for (const text of ["a", "b", "c"]) await session.send(text).result
    const { messages } = await session.preview("all", { prompt: "chat" })
    const all = messages.map(({ content }) => content).join("\n")
    expect(all).not.toContain("Rain again.")
    expect([all.includes("It rains."), all.includes("The sun shines.")]).toEqual([true, false])
  })
})

describe("why lore is in", () => {
  test("C18: the trace of a turn has each entry that was looked at, with the key that called it or what kept it out", async () => {
    const entries = [
      { keys: ["shop"], content: "The shop is old.", name: "Shop" },
      { keys: ["shop"], content: "Never.", name: "Off", enabled: false },
      { keys: ["old"], content: "Age.", name: "Age" },
      { keys: ["unsaid"], content: "Nobody asked.", name: "Unsaid" },
    ]
    const { session } = await opened({ entries, recursive_scanning: true }, { model: answers(1) })
    const { trace } = await session.send("the shop").result
    expect(trace.steps[0]?.assembly.lore).toEqual([
      { book: "card", entry: "Shop", outcome: "in", injection: "lorebook/card.0", key: "shop", where: 0 },
      { book: "card", entry: "Off", outcome: "disabled", key: "shop", where: 0 },
      { book: "card", entry: "Age", outcome: "in", injection: "lorebook/card.2", key: "old", where: "lore" },
    ])
  })

  test("C18: a turn that tells it makes no other part of the trace that nobody reads", async () => {
    const { session } = await opened({ entries: [entry("Called.")] }, { model: answers(1) })
    const { trace } = await session.send("all").result
    const assembly = trace.steps[0]?.assembly ?? {}
    const lazy = ["spans", "prefixes", "decisions", "cut"]
    expect(lazy.filter((name) => Object.getOwnPropertyDescriptor(assembly, name)?.get === undefined)).toEqual([])
    expect(Object.keys(JSON.parse(JSON.stringify(assembly)))).toEqual(expect.arrayContaining([...lazy, "lore"]))
  })
})
