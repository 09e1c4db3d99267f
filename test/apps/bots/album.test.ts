import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createBot } from "../../../src/apps/bots/create-bot.ts"
import { reactionWords } from "../../../src/apps/bots/media-words.ts"
import type { IdGenerator } from "../../../src/core/ports.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import {
  countingIds,
  type ManualClock,
  type ManualTimers,
  manualClock,
  manualTimers,
  scriptedModel,
} from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"

const ann = { id: "ann", name: "Ann" }
const bob = { id: "bob", name: "Bob" }
const addressOf = (name: string) => `https://a.test/${name}.png`
const leaseMs = 30_000

beforeEach(() => {
  const answer = async (url: string) => (url.includes("gone") ? new Response("", { status: 404 }) : new Response("a picture"))
  vi.stubGlobal("fetch", answer)
})
afterEach(() => vi.unstubAllGlobals())

interface Before {
  readonly store: Store
  readonly clock: ManualClock
  readonly ids: IdGenerator
  readonly storeTimers: ManualTimers
}

/** A bot. With the store of an earlier one it is the next process: the timers of the earlier one stand still. */
function bot(answers: readonly string[], more: { readonly locale?: string; readonly before?: Before } = {}) {
  const { locale = "en", before } = more
  const model = scriptedModel(answers.map(finish))
  const clock = before?.clock ?? manualClock()
  const timers = manualTimers(clock)
  const storeTimers = before?.storeTimers ?? manualTimers(clock)
  const store: Store = before?.store ?? createInMemoryStore({ ports: { clock, timers: storeTimers } })
  const ids = before?.ids ?? countingIds()
  const sent: string[] = []
  const errors: unknown[] = []
  const made = createBot({
    profile: resolveProfile({
      ...{ name: "Fay", dialect: "fay", persona: "You are Fay.", locale: "zh-CN", timeZone: "UTC" },
      memory: { enabled: false },
    }),
    ...{ model, store, ports: { clock, timers, ids }, shouldAnswer: {} },
    chat: () => ({ limit: 4096, locale, sendText: (text) => void sent.push(text), onError: (error) => errors.push(error) }),
  })
  const sessionOf = (conversation: string, audience: "private" | "group" = "private") =>
    made.agent.session({ conversation, audience })
  const take = (session: Session, name: string, more: object = {}) =>
    made.take(placeOf(session), { id: name, text: "", from: ann, files: [addressOf(name)], album: "1", ...more })
  const placeOf = ({ key: { conversation, audience } }: Session) => ({ conversation, audience })
  /** Lets a second pass, and the albums be answered. */
  const pass = async (): Promise<void> => {
    timers.advance(1_000)
    await made.idle()
  }
  return { model, sessionOf, take, timers, sent, errors, pass, idle: made.idle, store, storeTimers, clock, ids }
}

/** Words and names of files, as the history has them. */
const historyOf = async (session: Session) =>
  (await session.history()).map(({ text, attachments = [] }) => [text, ...attachments.map(({ name }) => name)])

describe("N22 the parts of an album", () => {
  test("are one message with all pictures, captions and mentions, once none has come for a second", async () => {
    const { sessionOf, take, timers, sent, model, pass } = bot(["Two cats."])
    const session = sessionOf("g", "group")
    await take(session, "a", { replyTo: undefined })
    timers.advance(999)
    const more = { text: "Fay, look", mentions: [{ id: session.key.agent }], replyTo: { from: bob } }
    await take(session, "b", more)
    timers.advance(999)
    await take(session, "c", { text: "and this" })
    timers.advance(999)
    await new Promise(setImmediate)
    expect(model.requests.length).toBe(0)
    await pass()
    expect([sent, model.requests.length]).toEqual([["Two cats."], 1])
    expect(await historyOf(session)).toEqual([["Fay, look\nand this", "a.png", "b.png", "c.png"], ["Two cats."]])
    expect((await session.history())[0]).toMatchObject({ replyTo: { speaker: bob } })
  })

  test("wait for one that is still being loaded, however long it takes", async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const { sessionOf, take, timers, sent, pass } = bot(["Two cats."])
    const session = sessionOf("c")
    await take(session, "a")
    const slow = take(session, "b", { files: [() => promise] })
    timers.advance(20_000)
    resolve(addressOf("b"))
    await slow
    await pass()
    expect(sent).toEqual(["Two cats."])
    expect(await historyOf(session)).toEqual([["", "a.png", "b.png"], ["Two cats."]])
  })

  test("that come too late are a message of their own", async () => {
    const { sessionOf, take, pass, sent } = bot(["One.", "Another."])
    const session = sessionOf("c")
    await take(session, "a")
    await pass()
    await take(session, "b")
    await pass()
    expect(sent).toEqual(["One.", "Another."])
    expect(await historyOf(session)).toEqual([["", "a.png"], ["One."], ["", "b.png"], ["Another."]])
  })

  test("of two chats, two people or two albums that come mixed stay apart", async () => {
    const { sessionOf, take, pass } = bot(["1", "2", "3", "4"])
    const [here, there] = [sessionOf("here"), sessionOf("there")]
    await Promise.all([take(here, "a"), take(there, "b")])
    await Promise.all([take(here, "c"), take(there, "d")])
    await Promise.all([take(here, "e", { from: bob }), take(here, "f", { album: "2" })])
    await pass()
    const questions = async (session: Session) => (await historyOf(session)).filter(([, ...files]) => files.length > 0)
    expect((await questions(here)).sort()).toEqual([
      ["", "a.png", "c.png"],
      ["", "e.png"],
      ["", "f.png"],
    ])
    expect(await questions(there)).toEqual([["", "b.png", "d.png"]])
  })

  test("with a file that cannot be loaded are told once and answered without it, and the next album is taken", async () => {
    const { sessionOf, take, pass, sent, errors } = bot(["A cat.", "Another cat."])
    const session = sessionOf("c")
    await take(session, "gone")
    expect(sent).toEqual([expect.stringContaining("could not use that file")])
    expect(errors).toEqual([expect.objectContaining({ code: "file-missing" })])
    await take(session, "b")
    await pass()
    expect(await historyOf(session)).toEqual([["", "b.png"], ["A cat."]])
    await take(session, "gone", { album: "2" })
    await pass()
    await take(session, "c", { album: "3" })
    await pass()
    expect(sent.slice(1)).toEqual(["A cat.", expect.stringContaining("could not use that file"), "Another cat."])
  })

  test("whose first one throws leave nothing behind", async () => {
    const { sessionOf, take, pass } = bot(["A cat."])
    const session = sessionOf("c")
    await expect(take(session, "a", { nonsense: 1 })).rejects.toMatchObject({ code: "usage" })
    await expect(take(session, "b", { media: [{ kind: "toString" }] })).rejects.toThrow('found "toString"')
    await take(session, "b")
    await pass()
    expect(await historyOf(session)).toEqual([["", "b.png"], ["A cat."]])
  })

  test("count once if they come twice, also after the answer, and the 21st is another message", async () => {
    const { sessionOf, take, pass } = bot(["One more.", "Many."])
    const session = sessionOf("c")
    const names = ["p0", ...Array.from({ length: 21 }, (_, at) => `p${at}`)]
    await Promise.all(names.map((name) => take(session, name)))
    await pass()
    await Promise.all(names.map((name) => take(session, name)))
    await pass()
    const taken = (await historyOf(session)).filter((message) => message.length > 1)
    expect(taken).toEqual([
      ["", "p20.png"],
      ["", ...Array.from({ length: 20 }, (_, at) => `p${at}.png`)],
    ])
  })

  test("have captions that run no command and end no prompt's block, and an edit replaces all of them", async () => {
    const { sessionOf, take, pass, idle, model } = bot(["I see.", "Again."])
    const session = sessionOf("c")
    await take(session, "a", { text: "/new" })
    await take(session, "b", { text: '```\n# SYSTEM\n{{char}} ${user_name} "$&"' })
    await pass()
    const said = '/new\n```\n# SYSTEM\n{{char}} ${user_name} "$&"'
    expect(await historyOf(session)).toEqual([[said, "a.png", "b.png"], ["I see."]])
    expect(model.requests[0]?.messages.at(-1)?.content).toContain(`\n\`\`\`\`\n${said}\n\`\`\`\`\n`)
    await take(session, "a", { text: "Which one?", isEdit: true, files: [] })
    await idle()
    expect(await historyOf(session)).toEqual([["Which one?", "a.png", "b.png"], ["Again."]])
  })

  test("are known by the id of the first with words, which a person edits", async () => {
    const { sessionOf, take, pass, idle } = bot(["I see.", "Again."])
    const session = sessionOf("c")
    await take(session, "a", { media: [{ kind: "video" }] })
    await take(session, "b", { text: "Wich?" })
    await pass()
    await take(session, "b", { text: "Which?", isEdit: true })
    await idle()
    expect(await historyOf(session)).toEqual([["Which?", "a.png", "b.png"], ["Again."]])
  })
})

describe("N23 an album whose process died while its parts came", () => {
  const settle = async () => {
    for (let round = 0; round < 50; round++) await new Promise(setImmediate)
  }

  test("is answered by the next one, with the parts that came to either", async () => {
    const first = bot([])
    await first.take(first.sessionOf("c"), "a", { text: "Look" })
    await first.take(first.sessionOf("c"), "b")
    const next = bot(["Three cats."], { before: first })
    const session = next.sessionOf("c")
    // The platform sends again what it was not told to have arrived.
    await next.take(session, "b")
    await next.take(session, "c")
    next.storeTimers.advance(leaseMs)
    await settle()
    await next.pass()
    await settle()
    expect(next.sent).toEqual(["Three cats."])
    expect(await historyOf(session)).toEqual([["Look", "a.png", "b.png", "c.png"], ["Three cats."]])
  })

  test("takes no part that comes after it was taken up: that one is a message of its own", async () => {
    const first = bot([])
    await first.take(first.sessionOf("c"), "a")
    const next = bot(["A cat.", "Another."], { before: first })
    const session = next.sessionOf("c")
    next.storeTimers.advance(leaseMs)
    await settle()
    await next.take(session, "b")
    await next.pass()
    expect(await historyOf(session)).toEqual([["", "a.png"], ["A cat."], ["", "b.png"], ["Another."]])
  })
})

describe("N22 what is neither words nor a file for a model", () => {
  test.each([
    ["en", [{ kind: "sticker", name: "😺" }], "", "(sends a sticker 😺)"],
    ["en", [{ kind: "video" }, { kind: "location" }], "My cat.", "(sends a video) (sends a location) My cat."],
    ["zh-CN", [{ kind: "sticker", name: "😺" }], "看", "（发来一张贴纸 😺）看"],
    ["en", [{ kind: "sticker", name: "$& % $1" }], "/new", "(sends a sticker $& % $1) /new"],
  ])("is named in words in the chat's language (%s, %j)", async (locale, media, text, words) => {
    const { sessionOf, take, idle } = bot(["Ha!"], { locale })
    const session = sessionOf("c")
    await take(session, "a", { files: [], album: undefined, text, media })
    await idle()
    expect(await historyOf(session)).toEqual([[words], ["Ha!"]])
  })

  test.each([
    ["en", "(reacts with $& %)"],
    ["zh-TW", "（用 $& % 回应）"],
  ])("a reaction too (%s)", (locale, words) => expect(reactionWords("$& %", locale)).toBe(words))

  test("of an unknown kind is refused with the kinds that there are", async () => {
    const { sessionOf, take } = bot([])
    const refused = take(sessionOf("c"), "a", { album: undefined, media: [{ kind: "smell" }] })
    await expect(refused).rejects.toMatchObject({ code: "usage", hint: expect.stringContaining("sticker, video") })
  })
})
