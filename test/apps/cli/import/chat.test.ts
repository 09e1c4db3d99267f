import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { chatOf, chatTurns, storeTurns } from "../../../../src/apps/cli/import/chat-turns.ts"
import {
  readTavernChat,
  type TavernChat,
  type TavernMessage,
  tavernDate,
  writeTavernChat,
} from "../../../../src/apps/cli/import/tavern-chat.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { countingIds } from "../../../../src/testing/index.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { run } from "../run.ts"

const people = { agent: { id: "mei", name: "Mei" }, user: { id: "user", name: "Ann" } }
const key = { agent: "mei", conversation: "c", audience: "private" } as const
const at = Date.UTC(2024, 0, 1, 12)
const lines = (...rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n")
const read = (text: string) => readTavernChat(text, { file: "a.jsonl", nowMs: at })
const header = { user_name: "Ann", character_name: "Mei", create_date: "2024-1-1@12h00m00s", chat_metadata: { note_prompt: "n" } }

/** Imports a chat into a store, and exports it again. */
async function thereAndBack(chat: TavernChat) {
  const store = createInMemoryStore()
  const ids = countingIds()
  const { turns, report } = chatTurns(chat, people, () => ids.next("turn"))
  await storeTurns(store, key, turns)
  return { store, report, back: chatOf(await store.branches(key), people) }
}

describe("a chat of SillyTavern", () => {
  const words = fc
    .string({ minLength: 1, maxLength: 12, unit: "binary" })
    .filter((text) => text.trim() !== "" && text.isWellFormed())
  const swipe = fc.record({ text: words, atMs: fc.integer({ min: 0, max: 4e12 }) })
  const message: fc.Arbitrary<TavernMessage> = fc.oneof(
    swipe.map((only) => ({ name: "Ann", isUser: true, swipes: [only], chosen: 0 })),
    fc
      .tuple(fc.array(swipe, { minLength: 1, maxLength: 4 }), fc.nat(3))
      .map(([swipes, chosen]) => ({ name: "Mei", isUser: false, swipes, chosen: chosen % swipes.length })),
  )
  const chats = fc.array(message, { maxLength: 12 }).map((messages) => ({ userName: "Ann", characterName: "Mei", messages }))

  test("C4: becomes a session's history with times, speakers and swipes, and comes back the same", async () => {
    await fc.assert(
      fc.asyncProperty(chats, async (chat) => {
        const given = read(writeTavernChat(chat))
        expect(given).toEqual({ ...chat, report: [] })
        const { store, back, report } = await thereAndBack(given)
        expect(report).toEqual([])
        expect(back).toEqual(given)
        const record = await store.load(key)
        expect(record?.history.map(({ text, role, atMs }) => [text, role, atMs])).toEqual(
          chat.messages.map(({ swipes, chosen, isUser }) => [
            swipes[chosen]?.text,
            isUser ? "user" : "assistant",
            swipes[chosen]?.atMs,
          ]),
        )
      }),
      { numRuns: runs(1_000), seed: seedOf(41) },
    )
  })

  test("C4: is stored by one write, whole or not at all, and in no conversation that is there", async () => {
    const swiped = { name: "Mei", isUser: false, swipes: ["a", "b"].map((text) => ({ text, atMs: at })), chosen: 0 }
    const chat = { userName: "Ann", characterName: "Mei", messages: [swiped, swiped], report: [] }
    const store = createInMemoryStore()
    const ids = countingIds()
    const { turns } = chatTurns(chat, people, () => ids.next("turn"))
    const write = store.import.bind(store)
    store.import = () => Promise.reject(new Error("no room"))
    await expect(storeTurns(store, key, turns)).rejects.toThrow("no room")
    expect(await store.load(key)).toBeUndefined()
    store.import = write
    await storeTurns(store, key, turns)
    const before = [await store.load(key), await store.branches(key)]
    await expect(storeTurns(store, key, turns)).rejects.toMatchObject({ code: "session-conflict" })
    expect([await store.load(key), await store.branches(key)]).toEqual(before)
  })

  test("C24: a chat without words is no conversation", async () => {
    const folder = tempFolder({ "a.jsonl": lines(header, { name: "Mei", is_user: false, mes: " ", swipes: ["", " "] }) })
    const { code, stderr } = await run(["import", `${folder}/a.jsonl`])
    expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("expected a chat with words in it")])
    expect(code).not.toBe(0)
  })

  test("C4: is read with all that its programs write; what is not taken is listed", () => {
    const text = lines(
      header,
      {
        name: "Mei",
        is_user: false,
        mes: "Hi!",
        send_date: "January 1, 2024 12:05pm",
        extra: { api: "x", bias: "" },
        swipes: ["Hello"],
        swipe_id: 0,
      },
      { name: "System", is_user: false, is_system: true, mes: "hidden", send_date: "2024-1-1 @12h 05m 10s 7ms" },
      { name: "Ann", is_user: true, mes: "Who?", send_date: "soon", force_avatar: "a.png" },
      {
        name: "Mei",
        is_user: false,
        mes: "edited",
        swipes: ["a", " ", "b"],
        swipe_id: 2,
        swipe_info: [{ send_date: at + 1, gen_started: "x" }],
        send_date: at,
      },
      { name: "Mei", is_user: false, mes: "  " },
    )
    const local = new Date(2024, 0, 1, 12, 5).getTime()
    expect(read(`\ufeff${text.replaceAll("\n", "\r\n")}`)).toEqual({
      userName: "Ann",
      characterName: "Mei",
      messages: [
        { name: "Mei", isUser: false, swipes: [{ text: "Hi!", atMs: local }], chosen: 0 },
        { name: "Ann", isUser: true, swipes: [{ text: "Who?", atMs: local + 10_007 }], chosen: 0 },
        {
          name: "Mei",
          isUser: false,
          swipes: [
            { text: "a", atMs: at + 1 },
            { text: "edited", atMs: at },
          ],
          chosen: 1,
        },
      ],
      report: [
        'an author\'s note, which the profile can have as author_note = { text = "n", depth = 4, interval = 1, role = "system" }',
        "extra.api",
        "hidden messages",
        "force_avatar",
        "a date that is not understood: the message has the time of the one before (2 times)",
        "swipe_info.gen_started",
        "swipes without words",
        "messages without words",
      ],
    })
  })

  test.each([
    [1_700_000_000_000, 1_700_000_000_000],
    ["1700000000000", 1_700_000_000_000],
    ["2024-01-01T12:00:00.000Z", at],
    ["2023-7-20 @02h 00m 51s 34ms", new Date(2023, 6, 20, 2, 0, 51, 34).getTime()],
    ["2023-7-20@02h00m51s", new Date(2023, 6, 20, 2, 0, 51).getTime()],
    ["July 20, 2023 12:01am", new Date(2023, 6, 20, 0, 1).getTime()],
    ["Smarch 1, 2024 1:00pm", undefined],
    [Number.NaN, undefined],
    [1e300, undefined],
    [null, undefined],
  ])("C4: the date %j is read as %s", (date, expected) => {
    expect(tavernDate(date)).toBe(expected)
  })

  test("C4: the words of other characters are another agent's, and a branch that is no swipe is said", async () => {
    const text = lines(
      { name: "Bob", is_user: false, mes: "I am Bob", swipes: ["I am Bob", "Bob here"], swipe_id: 0, send_date: at },
      { name: "Mei", is_user: false, mes: "And I am Mei", send_date: at },
    )
    const { store, report, back } = await thereAndBack(read(text))
    expect((await store.load(key))?.history).toMatchObject([
      { role: "user", speaker: { name: "Bob", isAgent: true } },
      { role: "assistant", speaker: people.agent },
    ])
    expect(report).toEqual([
      'words of "Bob" as those of Mei: they are kept as another character\'s',
      "swipes of messages that are not the character's: 1",
    ])
    expect(back.messages.map(({ name, isUser }) => [name, isUser])).toEqual([
      ["Bob", false],
      ["Mei", false],
    ])
    const said = { role: "user", speaker: people.user, atMs: at } as const
    await store.commit(key, {
      expectVersion: 1,
      append: [{ ...said, turnId: "x", text: "other words" }],
      after: null,
      state: {},
      jobs: [],
    })
    expect(chatOf(await store.branches(key), people).report).toEqual([
      "turns that were set aside and are no other answer to the same words: 1",
    ])
  })

  test.each([
    [`${JSON.stringify(header)}\n{`, "a.jsonl:2: expected a line with a JSON object"],
    [`${JSON.stringify(header)}\n{"a":1}`, "a.jsonl:2: expected a message with its text in mes"],
    ["{}", "a.jsonl:1: expected a chat of SillyTavern"],
  ])("C3: %j is an error with its line", (text, expected) => {
    expect(() => read(text)).toThrow(expected)
  })
})

describe("promptstrata import", () => {
  const profile = 'locale = "en"\n[agent]\nid = "mei"\nname = "Mei"\n[prompt]\ndialect = "tavern"\n'
  const chat = lines(
    header,
    { name: "Mei", is_user: false, mes: "Hi!", send_date: at, swipes: ["Hi!", "Hello!"], swipe_id: 0 },
    { name: "Ann", is_user: true, mes: "Who are you?", send_date: at + 1 },
    { name: "Mei", is_user: false, mes: "Mei.", send_date: at + 2 },
  )

  test("C4: makes the next conversation of a chat, which goes on, and export writes it", async () => {
    const folder = tempFolder({ "mei.toml": profile, "a chat.jsonl": chat })
    const on = ["--profile", `${folder}/mei.toml`, "--data-dir", folder]
    const env = { PROMPTSTRATA_STORE: "" }
    const first = await run(["import", `${folder}/a chat.jsonl`, ...on], { env })
    expect([first.code, first.stderr]).toEqual([
      0,
      [
        "A chat of SillyTavern is the conversation terminal of Mei now. Messages: 3.",
        "`promptstrata chat` goes on with it.",
        "Swipes are the alternatives of an answer. No memories were made of what was said.",
        "Not taken:",
        '  an author\'s note, which the profile can have as author_note = { text = "n", depth = 4, interval = 1, role = "system" }\n',
      ].join("\n"),
    ])
    const again = await run(["import", `${folder}/a chat.jsonl`, ...on], { env })
    expect(again.stderr).toContain("is the conversation terminal-2 of Mei now")
    const taken = await run(["import", `${folder}/a chat.jsonl`, ...on, "--conversation", "terminal"], { env })
    expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('found "terminal" in the store')])
    const out = `${folder}/out.jsonl`
    await run(["memory", "export", ...on, "--as", "sillytavern", "--out", out], { env })
    expect(read(readFileSync(out, "utf8"))).toEqual({ ...read(chat), report: [] })
    const none = await run(["memory", "export", ...on, "--as", "sillytavern", "--conversation", "no"], { env })
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('found none called "no"')])
  })

  test("C4: a chat of another character needs the name of a profile", async () => {
    const folder = tempFolder({
      "a.jsonl": chat.replaceAll("Mei", "Bo"),
      "b.json": "[1]",
      "c.txt": "hello",
      "d.json": '{"a":1}',
      "f.json": '{"version":2,"qrList":[]}',
    })
    const { code, stderr } = await run(["import", `${folder}/a.jsonl`, "--data-dir", folder], { env: { PROMPTSTRATA_STORE: "" } })
    expect([code, stderr]).toEqual([2, expect.stringContaining('expected the profile of "Bo", whose chat it is')])
    for (const [file, found] of [
      ["b.json", "other JSON"],
      ["c.txt", "another text"],
      ["d.json", "other JSON"],
      ["e", "found none"],
      ["f.json", "quick replies of SillyTavern, which are buttons of its page"],
    ])
      expect((await run(["import", `${folder}/${file}`])).stderr).toContain(found)
  })
})
