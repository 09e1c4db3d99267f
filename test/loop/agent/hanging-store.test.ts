import { afterEach, describe, expect, test } from "vitest"
import type { Session } from "../../../src/loop/agent/session.ts"
import type { Turn } from "../../../src/loop/agent/turn.ts"
import type { BackgroundWarning } from "../../../src/loop/turn/turn-context.ts"

import type { Store } from "../../../src/memory/services/store/store.ts"
import type { BeforeTurnContext } from "../../../src/memory/services/turn-hook.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, type TestAgent, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"

afterEach(expectScriptsDone)

const turnMs = 2_000
const limits = { turnMs, stepMs: 1_000_000, firstTokenMs: 1_000_000 }
const never = () => new Promise<never>(() => undefined)

/** Settles as the work does. Lets the turn's time limit pass once only its timer is left. */
async function whileTimePasses<T>({ timers }: TestAgent, work: Promise<T>): Promise<T> {
  await timers.whenPending(1)
  for (let round = 0; round < 20; round++) await Promise.resolve()
  timers.advance(turnMs)
  return work
}

/** A store of which one commit, behind so many others, gets no answer: it is `written` or not, and `answer` gives the answer after all. */
function deafStore(written: boolean, behind = 0) {
  const store = createIdleStore()
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  let commits = 0
  const commit: Store["commit"] = async (key, given) => {
    if (commits++ !== behind) return store.commit(key, given)
    const done = written ? await store.commit(key, given) : undefined
    begun.resolve()
    await gate.promise
    return done ?? store.commit(key, given)
  }
  return { store: { ...store, commit }, begun: begun.promise, answer: gate.resolve }
}

/** A hook that leaves a session item in its first turn. */
function placeHook() {
  let turns = 0
  const beforeTurn = ({ stack }: BeforeTurnContext): void => {
    if (turns++ === 0) stack.add("place", "在图书馆", { scope: "session" })
  }
  return { name: "place", beforeTurn }
}

function agentOver(store: Store, answers: readonly string[]) {
  const warnings: BackgroundWarning[] = []
  const model = scriptedModel(answers.map(finish))
  const onWarning = (warning: BackgroundWarning): void => void warnings.push(warning)
  const given = testAgent(model, { limits }, { store, hooks: [placeHook()], onWarning })
  const shown = (request: number) => model.requests[request]?.messages.map(({ content }) => content).join("\n") ?? ""
  return { given, warnings, shown }
}

/** The first turn of a session, which is aborted while its commit hangs. */
async function givenUp(session: Session, begun: Promise<unknown>): Promise<Turn> {
  const turn = session.send("第一句")
  await begun
  turn.abort()
  await turn.result
  return turn
}

describe("a commit that never settles", () => {
  test.each(["the time limit", "an abort"])("ends with %s, its outcome is unknown, and the session goes on", async (by) => {
    const { store, begun } = deafStore(true)
    const { given, shown } = agentOver(store, ["一", "二"])
    const { session, timers } = given
    const turn = session.send("第一句")
    await begun
    if (by === "an abort") turn.abort()
    else timers.advance(turnMs)
    expect(await turn.result).toMatchObject({
      ok: false,
      error: { code: by === "an abort" ? "aborted" : "turn-timeout", evidence: { commit: "unknown" } },
      gathered: { text: "一" },
    })
    expect(timers.pending).toBe(0)
    expect(await session.send("第二句").result).toMatchObject({ ok: true, text: "二" })
    expect(shown(1)).toContain("第一句")
  })

  test("the next turn finds out that it was written: it takes over the turn's items and tells", async () => {
    const { store, begun } = deafStore(true)
    const { given, shown, warnings } = agentOver(store, ["一", "二"])
    const turn = given.session.send("第一句")
    await begun
    turn.abort()
    await turn.result
    expect(given.session.stack.get("place")).toBeUndefined()
    await given.session.send("第二句").result
    expect(shown(1)).toMatch(/在图书馆[\s\S]*第一句/)
    expect(warnings).toMatchObject([{ turnId: turn.id, message: expect.stringContaining("The turn is stored.") }])
    expect((await store.load(given.session.key))?.state.stack).toMatchObject([{ key: "place" }])
  })

  test("one that was not written leaves nothing, and a later one wins by the version", async () => {
    const { store, begun, answer } = deafStore(false)
    const { given, shown, warnings } = agentOver(store, ["一", "二", "三"])
    const { session } = given
    const turn = await givenUp(session, begun)
    expect(await session.send("第二句").result).toMatchObject({ ok: true })
    expect(shown(1)).not.toMatch(/第一句|在图书馆/)
    answer()
    await session.send("第三句").result
    expect(warnings).toMatchObject([{ turnId: turn.id, message: expect.stringContaining("The turn is not stored") }])
    expect((await store.load(session.key))?.history.map(({ text }) => text)).toEqual(["第二句", "二", "第三句", "三"])
    expect(session.stack.get("place")).toBeUndefined()
  })

  test("T62 behind one that is written while the next turn runs, that turn is stored, asks no model again, and both are told", async () => {
    const { store, begun, answer } = deafStore(false)
    const { given, warnings, shown } = agentOver(store, ["一", "二", "三"])
    const { session } = given
    await givenUp(session, begun)
    const second = session.send("第二句")
    for await (const event of second) {
      if (event.type !== "step-start") continue
      answer()
      for (let round = 0; round < 5; round++) await Promise.resolve()
    }
    expect(await second.result).toMatchObject({ ok: true, text: "二" })
    expect(warnings).toMatchObject([{ message: expect.stringContaining("The turn is stored.") }])
    expect(session.stack.get("place")).toBeDefined()
    expect(await session.send("第三句").result).toMatchObject({ ok: true })
    expect(shown(2)).toMatch(/第三句[\s\S]*在图书馆[\s\S]*第一句[\s\S]*一[\s\S]*第二句[\s\S]*二/)
    const record = await store.load(session.key)
    expect(record?.history.map(({ text, interrupted }) => text + (interrupted ? "…" : ""))).toEqual([
      ...["第一句", "一", "第二句", "二", "第三句", "三"],
    ])
    expect(record?.state.turns).toBe(3)
  })

  test("T62 of an item and a state that both turns changed the later one's stay, and what only the first changed stays too", async () => {
    const { store, begun, answer } = deafStore(false)
    let turns = 0
    const seen: unknown[] = []
    const hook = (name: string, isIn: (turn: number) => boolean) => ({
      name,
      beforeTurn: ({ stack, state }: BeforeTurnContext): void => {
        if (name === "both") turns++
        seen.push(`${name}: ${state.get()}`)
        if (!isIn(turns)) return
        state.set(`${name} of ${turns}`)
        stack.add(name, `${name} of ${turns}`, { scope: "session" })
      },
    })
    const hooks = [hook("both", (turn) => turn < 3), hook("first", (turn) => turn === 1), hook("second", (turn) => turn === 2)]
    const { session } = testAgent(scriptedModel(["一", "二", "三"].map(finish)), { limits }, { store, hooks })
    await givenUp(session, begun)
    const second = session.send("第二句")
    for await (const event of second) if (event.type === "text-delta") answer()
    const stored = (await store.load(session.key))?.state.stack as { content: string }[]
    expect(stored.map(({ content }) => content).sort()).toEqual(["both of 2", "first of 1", "second of 2"])
    await session.send("第三句").result
    expect(seen.slice(-3)).toEqual(["both: both of 2", "first: first of 1", "second: second of 2"])
  })

  test.each(["before", "while"])(
    "T62 another's turn is a conflict, also after one that was written late %s the turn ran",
    async (when) => {
      const { store, begun, answer } = deafStore(false)
      const { given } = agentOver(store, ["一", "二"])
      const { session } = given
      await givenUp(session, begun)
      const late = async () => {
        answer()
        for (let round = 0; round < 5; round++) await Promise.resolve()
      }
      if (when === "before") await late()
      const second = session.send("第二句")
      for await (const event of second) {
        if (event.type !== "text-delta") continue
        await late()
        await store.commit(session.key, { expectVersion: 1, append: [], state: {}, jobs: [] })
      }
      expect(await second.result).toMatchObject({ ok: false, error: { code: "session-conflict" } })
    },
  )

  test.each(["a turn that waits for an approval", "a turn that replaces others"])(
    "T62 %s is a conflict as ever",
    async (which) => {
      const isWaiting = which.includes("waits")
      const { store, begun, answer } = deafStore(false, isWaiting ? 0 : 1)
      const pay = defineTool({ name: "pay", description: "pays", needsApproval: true, execute: () => "paid" })
      const steps = isWaiting ? [callTool("pay"), finish("二")] : ["零", "一", "二"].map(finish)
      const { session } = testAgent(scriptedModel(steps), { limits }, { store, tools: [pay] })
      if (!isWaiting) await session.send("第零句").result
      await givenUp(session, begun)
      const second = isWaiting ? session.send("第二句") : session.regenerate()
      for await (const event of second) if (event.type === "text-delta") answer()
      expect(await second.result).toMatchObject({ ok: false, error: { code: "session-conflict" } })
    },
  )

  test("a store that throws nothing at all is no abort", async () => {
    const commit = () => Promise.reject(undefined)
    const { given } = agentOver({ ...createIdleStore(), commit }, ["一"])
    expect(await given.session.send("？").result).toMatchObject({ ok: false, error: { code: "session-store" } })
  })
})

describe("an append that never settles", () => {
  test("T19 ends a failed turn two seconds after its failure, with a warning that its words may be missing", async () => {
    const begun = Promise.withResolvers<void>()
    const append = (): Promise<never> => {
      begun.resolve()
      return never()
    }
    const warnings: BackgroundWarning[] = []
    const { session, timers } = testAgent(
      scriptedModel([() => Promise.reject(new Error("no"))]),
      { limits: { ...limits, turnMs: 1_000_000 } },
      { store: { ...createIdleStore(), append }, onWarning: (warning) => void warnings.push(warning) },
    )
    const turn = session.send("？")
    await begun.promise
    await timers.whenPending(1)
    timers.advance(2_000)
    const result = await turn.result
    expect(result.ok || result.error.code).toBe("model")
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("took longer than 2000 ms. They may be missing"),
    ])
  })
})

describe("a load that never settles", () => {
  /** A store whose first load never settles. */
  function blindStore(): Store {
    const store = createIdleStore()
    let loads = 0
    return { ...store, load: (key) => (loads++ > 0 ? store.load(key) : never()) }
  }

  test.each(["the time limit", "an abort"])("ends with %s, and the session goes on", async (by) => {
    const { given } = agentOver(blindStore(), ["好"])
    const turn = given.session.send("？")
    const next = given.session.send("？")
    if (by === "an abort") {
      await given.timers.whenPending(1)
      turn.abort()
    }
    const ended = by === "an abort" ? turn.result : whileTimePasses(given, turn.result)
    expect(await ended).toMatchObject({ ok: false, error: { code: by === "an abort" ? "aborted" : "turn-timeout" } })
    expect(await next.result).toMatchObject({ ok: true, text: "好" })
    expect(given.timers.pending).toBe(0)
  })

  test("holds for everything else that reads the session: previews, the memory switch and its question", async () => {
    const works: readonly ((session: Session) => Promise<unknown>)[] = [
      (session) => session.preview("？"),
      (session) => session.setMemory(false),
      (session) => session.memoryOn(),
    ]
    for (const work of works) {
      const { given } = agentOver(blindStore(), ["好"])
      await expect(whileTimePasses(given, work(given.session))).rejects.toMatchObject({ code: "turn-timeout" })
      expect(await given.session.send("？").result).toMatchObject({ ok: true })
    }
  })

  test("holds for the commit of the memory switch", async () => {
    const { store } = deafStore(false)
    const { given } = agentOver(store, ["好"])
    await expect(whileTimePasses(given, given.session.setMemory(false))).rejects.toMatchObject({ code: "turn-timeout" })
    expect(await given.session.send("？").result).toMatchObject({ ok: true })
  })

  test("holds for a profile that is never read", async () => {
    const profile = resolveProfile({ name: "x", dialect: "fay", persona: "你是Fay。", limits })
    const given = testAgent(scriptedModel([]), {}, { profile: { profile, current: never } })
    expect(await whileTimePasses(given, given.session.send("？").result)).toMatchObject({
      ok: false,
      error: { code: "turn-timeout" },
    })
  })
})
