import { describe, expect, test } from "vitest"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { errorWords } from "../../../src/trace/error-words.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"
import { backgroundModel } from "../../support/remembering.ts"

const stall = { stallUntilAborted: true } as const
const cutOff: ScriptedStep = ['{"action":"finish","message":"The capital is', stall]

function fay(steps: readonly ScriptedStep[], profile: ProfileInput = {}, options: Partial<AgentOptions> = {}) {
  const warnings: string[] = []
  const model = scriptedModel(steps)
  const onWarning = ({ message }: { readonly message: string }) => void warnings.push(message)
  const store = createIdleStore()
  const made = testAgent(model, { locale: "en", ...profile }, { store, onWarning, ...options })
  const shown = (request: number) => JSON.stringify(model.requests[request]?.messages)
  return { ...made, model, warnings, shown }
}

/** Aborts a turn once it shows something. */
async function abortWhenShown(turn: ReturnType<Session["send"]>) {
  for await (const _ of turn.textStream) turn.abort()
  return turn.result
}

const textsOf = async (session: Session) => (await session.history()).map(({ text }) => text)

describe("T20 a turn that failed", () => {
  test("leaves the user's words and what was shown of the answer, and the next prompt shows both", async () => {
    const { session, shown, agent } = fay([cutOff, finish("Oslo.")])
    const options = { from: { id: "ann", name: "Ann" }, attachments: [{ path: "a.txt" }], mentions: [{ id: "fay", name: "Fay" }] }
    const turn = session.send("What is the capital?", options)
    expect(await abortWhenShown(turn)).toMatchObject({ ok: false, error: { code: "aborted" } })
    const marks = { interrupted: true, unanswered: true, turnId: turn.id }
    expect(await session.history()).toMatchObject([
      {
        role: "user",
        text: "What is the capital?",
        speaker: { id: "ann" },
        attachments: [{ name: "a.txt" }],
        mentions: [{ id: "fay" }],
        ...marks,
      },
      { role: "assistant", text: "The capital is", speaker: { name: "Fay" }, ...marks },
    ])
    await session.send("Of Norway.").result
    expect(["What is the capital?", "The capital is", "Of Norway."].filter((text) => !shown(1).includes(text))).toEqual([])
    expect((await session.history()).slice(2).map(({ unanswered }) => unanswered)).toEqual([undefined, undefined])
    await agent.close()
  })

  test("leaves the words alone if nothing was shown, and nothing at all if the profile says so", async () => {
    const broken: ScriptedStep = [new Error("the server is down")]
    const { session } = fay([broken])
    expect(await session.send("one").result).toMatchObject({ ok: false, error: { code: "model" } })
    expect(await textsOf(session)).toEqual(["one"])
    const off = fay([cutOff, broken], { history: { keepFailed: false } })
    await abortWhenShown(off.session.send("one"))
    await off.session.send("two").result
    const waiting = off.session.send("three", { signal: AbortSignal.abort() })
    await waiting.result
    expect(await textsOf(off.session)).toEqual([])
  })

  test("leaves its words in their order if it ends before it begins", async () => {
    const { session, agent } = fay([finish("First."), finish("Third.")])
    const first = session.send("one")
    const second = session.send("two")
    const third = session.send("three")
    second.abort()
    expect(await second.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    await Promise.all([first.result, third.result])
    expect(await textsOf(session)).toEqual(["one", "First.", "two", "three", "Third."])
    const woken = session.wake("it is time")
    woken.abort()
    await woken.result
    const refused = session.send(" ")
    await refused.result
    await agent.idle()
    expect(await textsOf(session)).toHaveLength(5)
    await agent.close()
  })

  test("keeps the bytes that came with its words, the words alone if it did not begin, and nothing if it was refused", async () => {
    const bytes = new TextEncoder().encode("a note")
    const store = createInMemoryStore()
    const { session, agent, warnings } = fay([cutOff], {}, { store })
    const waits = session.send("first", { attachments: [{ bytes, mediaType: "text/plain" }] })
    waits.abort()
    await abortWhenShown(session.send("second", { attachments: [{ bytes, mediaType: "text/plain" }] }))
    await session.send("third", { attachments: [{ blob: "nobody" }] }).result
    await agent.idle()
    const said = await session.history()
    expect(said.map(({ text }) => text)).toEqual(["first", "second", "The capital is"])
    const ids = said.map(({ attachments }) => attachments?.[0]?.blob)
    expect(ids).toEqual([undefined, expect.any(String), undefined])
    expect(warnings).toEqual([expect.stringContaining("attachments were read")])
    expect(await store.blobs.get(ids[1] ?? "", session.key)).toEqual(bytes)
    await agent.close()
  })

  test("in which nobody spoke leaves what was shown", async () => {
    const { session } = fay([cutOff])
    await abortWhenShown(session.wake("it is time"))
    expect(await session.history()).toMatchObject([{ role: "assistant", text: "The capital is", interrupted: true }])
  })

  test("is kept once if the store wrote its commit and answered with an error", async () => {
    const store = createIdleStore()
    const commit: Store["commit"] = async (key, given) => {
      await store.commit(key, given)
      throw new Error("the connection was lost")
    }
    const { session, warnings } = fay([finish("One.")], {}, { store: { ...store, commit } })
    expect(await session.send("one").result).toMatchObject({ ok: false, error: { code: "session-store" } })
    expect(await textsOf(session)).toEqual(["one", "One."])
    expect(warnings).toEqual([expect.stringContaining("stored")])
  })

  test("that another process overtook has its words, and its error says how they are answered", async () => {
    const store = createIdleStore()
    const commit: Store["commit"] = (key, given) => store.commit(key, { ...given, expectVersion: 7 })
    const { session } = fay([finish("Late.")], {}, { store: { ...store, commit } })
    const result = await session.send("one").result
    if (result.ok) throw new Error("a commit of a version that is gone was written")
    expect([result.error.code, await textsOf(session)]).toEqual(["session-conflict", ["one", "Late."]])
    expect(result.error.hint).toMatch(/regenerate/)
    for (const locale of ["en", "zh-CN"]) expect(errorWords(result.error, locale)).not.toMatch(/send|发/)
  })

  test("ends although its words cannot be stored, and that is told", async () => {
    const store = createIdleStore()
    const broken = fay([cutOff], {}, { store: { ...store, append: () => Promise.reject(new Error("disk full")) } })
    expect(await abortWhenShown(broken.session.send("one"))).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect(broken.warnings).toEqual([expect.stringMatching(/words of an unanswered turn failed: disk full/)])
    const hanging = fay(
      [cutOff],
      { memory: { enabled: false } },
      { store: { ...store, append: () => new Promise(() => undefined) } },
    )
    const turn = hanging.session.send("one")
    const ended = abortWhenShown(turn)
    await hanging.timers.whenPending(1)
    for (let round = 0; round < 50; round++) await Promise.resolve()
    hanging.timers.advance(1_000_000)
    expect(await ended).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect(hanging.warnings).toEqual([expect.stringMatching(/took longer than/)])
  })

  test("can be answered again, and its words or its answer can be edited", async () => {
    const { session, agent } = fay([cutOff, finish("Oslo."), finish("Rome."), cutOff, cutOff])
    const turn = session.send("What is the capital?")
    await abortWhenShown(turn)
    expect(await session.regenerate().result).toMatchObject({ ok: true, text: "Oslo." })
    expect(await textsOf(session)).toEqual(["What is the capital?", "Oslo."])
    await session.choose(turn.id)
    expect(await textsOf(session)).toEqual(["What is the capital?", "The capital is"])
    await session.edit(`${turn.id}:1`, "The capital is Oslo.")
    const [, answer] = await session.history()
    expect([answer?.text, answer?.interrupted, answer?.unanswered]).toEqual(["The capital is Oslo.", undefined, undefined])
    await session.choose(turn.id)
    await (await session.edit(`${turn.id}:0`, "And of Italy?"))?.result
    expect(await textsOf(session)).toEqual(["And of Italy?", "Rome."])
    await abortWhenShown(session.regenerate())
    const again = await session.edit((await session.history())[0]?.id ?? "", "And of Spain?")
    if (again) await abortWhenShown(again)
    expect(await textsOf(session), "what was to be replaced stays").toEqual(["And of Italy?", "Rome."])
    await agent.close()
  })

  test("is remembered by the words of the user alone, once, and not at the cost of other turns", async () => {
    const store = createInMemoryStore()
    let fails = false
    const turn = () => {
      if (fails) throw new Error("the server is down")
      return finish("I see that well.")
    }
    const model = backgroundModel({ turn })
    const { session, agent } = testAgent(model, { locale: "en", memory: { batchTurns: 3 } }, { store })
    for (const text of ["I like tea", "I like cake", "I like milk", "I like bread", "I like jam"]) {
      fails = text === "I like cake" || text === "I like milk"
      expect((await session.send(text).result).ok).toBe(!fails)
      await agent.idle()
    }
    const memories = await store.memories.recent({ ...session.key, user: "test" }, { limit: 99 })
    const said = memories.map(({ text }) => text).filter((text) => text.startsWith("I like"))
    expect(said.sort()).toEqual(["I like bread", "I like cake", "I like jam", "I like milk", "I like tea"])
    await agent.close()
  })
})
