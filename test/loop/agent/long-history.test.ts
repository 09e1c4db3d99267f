import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { HistoryMessage, Speaker } from "../../../src/core/conversation.ts"
import { historyWindow } from "../../../src/loop/agent/create-turn-context.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { runs, seedOf } from "../../support/size.ts"

const key = { agent: "test", conversation: "test", audience: "private" } as const

/** Turns of Ann's words and Fay's answers. Where `isBlank` holds, the message has no words. */
function talk(count: number, isBlank: (at: number) => boolean = () => false): HistoryMessage[] {
  return Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    text: isBlank(at) ? "" : `«${at}»`,
    speaker: at % 2 === 0 ? { id: "ann", name: "Ann" } : { id: "test", name: "Fay" },
    turnId: `said-${at >> 1}`,
    atMs: at,
  }))
}

/** A store that notes how many messages are asked for; "all" for a whole history. */
function noting(): { readonly store: Store; readonly asked: (number | "all")[] } {
  const [store, asked]: [Store, (number | "all")[]] = [createInMemoryStore(), []]
  const load: Store["load"] = (of, options) => {
    asked.push(options?.last ?? "all")
    return store.load(of, options)
  }
  return { store: { ...store, load }, asked }
}

const answering = () => scriptedModel(Array.from({ length: 4 }, () => finish("Well.")))
const quiet = { memory: { enabled: false }, history: { contextCount: 20 } }

describe("a turn of a long conversation", () => {
  test("reads the newest messages alone", async () => {
    const { store, asked } = noting()
    await store.append(key, talk(10_000))
    const { session } = testAgent(answering(), quiet, { store })
    expect(await session.send("And now?").result).toMatchObject({ ok: true })
    expect(asked).toEqual([80])
    expect((await store.load(key))?.history).toHaveLength(10_002)
  })

  test("finds an old message that its words reply to, also one whose turn only ends within the newest", async () => {
    const { store } = noting()
    await store.append(key, talk(201))
    const { session } = testAgent(answering(), quiet, { store })
    for (const [at, replyTo, role] of [
      [0, "said-3:1", "assistant"],
      [1, "said-61:1", "assistant"],
      [2, "said-61:0", "user"],
    ] as const) {
      expect(await session.send("This one.", { replyTo }).result).toMatchObject({ ok: true, trace: { warnings: [] } })
      const said = (await store.load(key))?.history.findLast((message) => message.role === "user")
      expect(said?.replyTo, String(at)).toEqual({
        id: replyTo,
        speaker: { id: role === "user" ? "ann" : "test", name: expect.anything() },
      })
    }
  })

  test("wakes for the person who spoke last, however long ago that is", async () => {
    const { store } = noting()
    const [words] = talk(1)
    const own = talk(300).filter(({ role }) => role === "assistant")
    await store.append(key, [words as HistoryMessage, ...own])
    const speakers: string[] = []
    const hook = { name: "speakers", beforeTurn: ({ speaker }: { readonly speaker: Speaker }) => void speakers.push(speaker.id) }
    const { session } = testAgent(answering(), quiet, { store, hooks: [hook] })
    expect(await session.wake("An hour has gone by.").result).toMatchObject({ ok: true })
    expect(speakers).toEqual(["ann"])
  })

  test("goes behind a message that was said long ago, with all that stands before it", async () => {
    const { store } = noting()
    await store.append(key, talk(400))
    const { session } = testAgent(answering(), quiet, { store })
    await session.rewind("said-120")
    expect((await store.load(key))?.history).toHaveLength(242)
    await session.fork("copy")
    expect((await store.load({ ...key, conversation: "copy" }))?.history).toHaveLength(242)
  })

  test("T30 shows the window of the whole history, also among many blank messages", async () => {
    const blanks = fc.array(fc.boolean(), { minLength: 1, maxLength: 7 })
    const counts = fc.record({ messages: fc.nat(300), contextCount: fc.integer({ min: 1, max: 30 }) })
    await fc.assert(
      fc.asyncProperty(blanks, counts, fc.constantFrom("slide", "steps"), async (pattern, { messages, contextCount }, window) => {
        const store = createInMemoryStore()
        const history = talk(messages, (at) => pattern[at % pattern.length] === true)
        await store.append(key, history)
        const { session } = testAgent(answering(), { ...quiet, history: { contextCount, window } }, { store })
        const { messages: asked } = await session.preview("And now?")
        const shown = [
          ...asked
            .map(({ content }) => content)
            .join("\n")
            .matchAll(/«\d+»/g),
        ].map(([text]) => text)
        expect(shown).toEqual(historyWindow(history, { contextCount, window }).map(({ text }) => text))
      }),
      { numRuns: runs(60), seed: seedOf(81) },
    )
  })
})
