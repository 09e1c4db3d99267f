import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { extentOf, lanesOf, rowsOf } from "../../../../page/timeline-lanes.ts"
import { wordsFor } from "../../../../page/words.ts"
import { contextChanges } from "../../../../src/apps/server/inspector/timeline/context-changes.ts"
import type { Timeline } from "../../../../src/apps/server/inspector/timeline/timeline-route.ts"
import type { TurnSummary } from "../../../../src/apps/server/inspector/turn-record.ts"
import { createVirtualContext } from "../../../../src/memory/forgetting/plugin/virtual-context.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { inspected } from "./inspected.ts"

const dayMs = 86_400_000
const moment = { atMs: 0, turn: 0 }
const words = wordsFor("en")

/** An agent with a virtual context and its page; time stands still unless it is moved. */
function remembering(answers: readonly string[], options: Parameters<typeof createVirtualContext>[0] = {}) {
  const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5))
  const page = inspected(answers, {
    clock,
    profile: { dialect: "root", locale: "en" },
    agentOptions: {
      plugins: [createVirtualContext({ locale: "en", events: { timeZone: "UTC" }, ...options })],
      ports: { clock },
      onWarning: () => undefined,
    },
  })
  const timeline = (id: string) => page.get<Timeline>(`api/turns/${id}/timeline`)
  const say = async (text: string) => (await page.session.send(text).result).trace.turnId
  return { ...page, clock, say, timeline }
}

const put = (id: string) => callTool("put_into_workspace", { id: `%[${id}]`, text: `about ${id}` })
const done = (used: readonly string[] = []) =>
  JSON.stringify({ action: "finish", message: "Done.", tool: "report_use", args: { used, maybe_used: [] } })

describe("the changes of a virtual context", () => {
  test("of a turn tell what a tool put in and used, and what was forgotten before it", async () => {
    const { clock, say, record, timeline } = remembering([
      put("a.md"),
      put("b.md"),
      finish("Put."),
      done(["a.md"]),
      done(["a.md"]),
    ])
    const first = await say("keep them")
    expect((await record(first)).context).toEqual({
      lost: 0,
      changes: ["a.md", "b.md"].map((id) => ({ area: "workspace", change: "came", id, text: `about ${id}`, by: "model" })),
    })
    clock.advance(5 * dayMs)
    const second = await say("use one")
    expect((await record(second)).context?.changes).toEqual([
      expect.objectContaining({ area: "workspace", change: "used", id: "a.md", by: "model" }),
    ])
    clock.advance(10 * dayMs)
    const third = await say("and now?")
    const went = (await record(third)).context?.changes.filter(({ change }) => change === "went")
    expect(went).toMatchObject([{ area: "workspace", id: "b.md", by: "background" }])
    const { turns, changes, workspace, left } = await timeline(first)
    expect(turns.map(({ id, question, state }) => [id, question, state])).toEqual([
      [first, "keep them", "answered"],
      [second, "use one", "answered"],
      [third, "and now?", "answered"],
    ])
    // What the turn used, and the event of an earlier turn, are there once the work behind the turns is done.
    const ofThird = Array<string>(Math.max(1, changes.length - 3)).fill(third)
    expect(changes.map(({ turn }) => turn)).toEqual([first, first, second, ...ofThird])
    expect({ left, held: workspace.map(({ id }) => id) }).toEqual({ left: 0, held: ["a.md"] })
  })

  test("tell of events that a job wrote, and of that job", async () => {
    const { agent, clock, say, record, timeline, get } = remembering([finish("One."), finish("Two."), finish("Three.")], {
      events: { timeZone: "UTC", writer: "rule" },
    })
    await say("We talk of cats.")
    clock.advance(dayMs)
    const second = await say("We talk of dogs.")
    await agent.idle()
    expect((await record(second)).jobs).toMatchObject([
      { kind: "virtual-context:event", turn: second, state: "done", attempt: 1 },
    ])
    const third = await say("And birds?")
    await agent.idle()
    const came = (await record(third)).context?.changes ?? []
    expect(came[0]).toMatchObject({ area: "events", change: "came", grain: "moment", by: "background" })
    expect(came[0]?.text).toContain("cats")
    const found = await timeline(third)
    expect(found.events.map(({ grain }) => grain)).toContain("moment")
    expect(found.jobs.map(({ kind }) => kind)).toContain("virtual-context:event")
    expect((await get<{ turns: readonly TurnSummary[] }>("api/turns")).turns[0]?.jobs).toBe(0)
  })

  test("are not noted of a turn that keeps nothing", async () => {
    const { say, record } = remembering([put("a.md"), ""])
    const { outcome, context } = await record(await say("keep it"))
    expect(outcome.state).toBe("failed")
    expect(context).toBeUndefined()
  })

  test("lead from the things that were held to those that are, whatever the states are", () => {
    const item = fc.record({ id: fc.constantFrom("a", "b", "c", "d"), text: fc.constantFrom("x", "y"), atMs: fc.nat(1) })
    const items = fc.uniqueArray(item, { selector: ({ id }) => id })
    const state = items.map((held) => ({
      ...{ version: 1, ended: [], events: [], pulled: [], compressed: [] },
      workspace: held.map(({ id, text, atMs }) => {
        return { id, kind: "file", text, stability: 1, added: moment, recalled: { atMs, turn: 0 } }
      }),
    }))
    fc.assert(
      fc.property(state, state, state, (before, begun, after) => {
        const { changes, lost } = contextChanges({ before, begun, after })
        const held = new Map<string, string>(before.workspace.map(({ id, text }) => [id, text]))
        for (const { change, id, text } of changes) {
          expect(held.has(id)).toBe(change !== "came")
          if (change === "went") held.delete(id)
          else held.set(id, text)
        }
        expect([...held].sort()).toEqual(after.workspace.map(({ id, text }) => [id, text]).sort())
        expect(lost).toBe(0)
      }),
      { numRuns: runs(200), seed: seedOf(20) },
    )
  })

  test("are bounded in number and length, and read nothing from a state of another form", () => {
    const workspace = Array.from({ length: 400 }, (_, at) => {
      return { id: String(at), kind: "file", text: "t".repeat(400), stability: 1, added: moment, recalled: moment }
    })
    const after = { version: 1, events: [], workspace, pulled: [], compressed: [], ended: [] }
    const { changes, lost } = contextChanges({ before: undefined, begun: undefined, after })
    expect([changes.length, lost, changes[0]?.text]).toEqual([300, 100, `${"t".repeat(300)}…`])
    for (const odd of [null, 7, "x", [], { version: 2, workspace: 1 }])
      expect(contextChanges({ before: odd, begun: odd, after: odd })).toEqual({ changes: [], lost: 0 })
  })
})

describe("background jobs", () => {
  /** An agent with one job, which does what the test says. */
  function working(run: () => Promise<void>, model: readonly string[] = [finish("Yes.")]) {
    const store = createInMemoryStore({ jobs: { maxAttempts: 2, waitMs: 1 } })
    const job = { kind: "tidy", afterTurn: () => ({}), run }
    return inspected(model, {
      agentOptions: { store, plugins: [{ name: "tidy", jobs: [job] }], onWarning: () => undefined },
    })
  }

  test("are there while they run, in the list and in the record, and then as they ended", async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { agent, session, record, get, fetch } = working(() => {
      begun.resolve()
      return gate.promise
    })
    const live = (await fetch("api/live")).body?.pipeThrough(new TextDecoderStream()).getReader()
    const { turnId } = (await session.send("Hello").result).trace
    await begun.promise
    const list = async () => (await get<{ turns: readonly TurnSummary[] }>("api/turns")).turns
    expect((await list())[0]?.jobs).toBe(1)
    expect((await record(turnId)).jobs).toMatchObject([{ kind: "tidy", state: "running" }])
    gate.resolve()
    await agent.idle()
    expect((await list())[0]?.jobs).toBe(0)
    const [ended] = (await record(turnId)).jobs ?? []
    expect(ended).toMatchObject({ kind: "tidy", state: "done", attempt: 1, endedMs: expect.any(Number) })
    let told = ""
    while (!told.includes('"jobs":0')) told += (await live?.read())?.value ?? '"jobs":0 never came'
    await live?.cancel()
    expect(told).not.toContain("never came")
  })

  test("that fail say why, without keys", async () => {
    const { session, record } = working(() => Promise.reject(new Error("no answer for sk-abcdefghijklmnop1234")))
    const { turnId } = (await session.send("Hello").result).trace
    await expect
      .poll(async () => (await record(turnId)).jobs)
      .toMatchObject([{ state: "failed", message: "no answer for [secret]", attempt: expect.any(Number) }])
  })

  test("go with the words of their turn", async () => {
    const { agent, made, session, get } = working(
      () => Promise.reject(new Error("a word of Ann")),
      [finish("Yes."), finish("Yes.")],
    )
    await session.send("Hello").result
    const other = (await agent.session("other").send("Hello").result).trace.turnId
    await expect.poll(async () => (await get<Timeline>(`api/turns/${other}/timeline`)).jobs.length).toBe(1)
    await made.forget(session.key)
    expect((await get<Timeline>(`api/turns/${other}/timeline`)).jobs).toHaveLength(1)
    await made.forget({ ...session.key, conversation: "other" })
    expect(JSON.stringify(await get("api/turns"))).not.toContain("a word of Ann")
  })
})

describe("the timeline of a conversation", () => {
  test("has its wakes with their reasons, and nothing of another conversation", async () => {
    const { agent, session, timeline } = remembering([finish("Hi."), finish("Still there?"), finish("Yes.")])
    await agent.session("other").send("Elsewhere").result
    const { turnId } = (await session.wake("Nobody spoke for an hour.").result).trace
    expect((await timeline(turnId)).turns).toMatchObject([{ id: turnId, wake: "Nobody spoke for an hour.", question: "" }])
  })

  test("is bounded, and says how much is left out", async () => {
    const store = createInMemoryStore()
    const { session, get } = inspected([finish("Yes.")], { agentOptions: { store } })
    const times = { startMs: 0, importance: 1, stability: 1, recalled: moment, children: [], sources: [] }
    const events = Array.from({ length: 600 }, (_, at) => ({
      ...times,
      id: `${at}`,
      grain: "day",
      stamp: "",
      endMs: at,
      text: "t",
    }))
    const workspace = Array.from({ length: 250 }, (_, at) => {
      return { id: `${at}`, kind: "file", text: "t".repeat(400), stability: 1, added: moment, recalled: { atMs: at, turn: 0 } }
    })
    const state = { version: 1, events, workspace, pulled: [], compressed: [], ended: [] }
    const commit = { expectVersion: 0, append: [], state: { turns: 0, hooks: { "virtual-context": state } }, jobs: [] }
    await store.commit(session.key, commit)
    const { turnId } = (await session.send("Hello").result).trace
    const found = await get<Timeline>(`api/turns/${turnId}/timeline`)
    expect([found.events.length, found.workspace.length, found.left]).toEqual([500, 200, 150])
    expect([found.events[0]?.id, found.workspace[0]?.id, found.workspace[0]?.text]).toEqual(["100", "50", `${"t".repeat(300)}…`])
  })

  const empty: Timeline = { nowMs: 9, turns: [], jobs: [], changes: [], events: [], workspace: [], left: 0 }
  const change = { area: "workspace", change: "came", id: "a.md", text: "A", by: "model", turn: "t", atMs: 20 } as const

  test("has a lane for each kind and each thing; a thing lasts from its coming to its going, or until the end", () => {
    const lanes = lanesOf(
      {
        ...empty,
        turns: [
          { id: "t", atMs: 10, endMs: 20, question: "q", state: "answered" },
          { id: "w", atMs: 30, endMs: 31, wake: "why", question: "", state: "failed" },
        ],
        jobs: [{ kind: "tidy", turn: "t", state: "running", attempt: 1, startedMs: 25 }],
        changes: [change, { ...change, change: "went", atMs: 40 }, { ...change, id: "b.md", atMs: 22 }],
        events: [{ id: "e", grain: "day", startMs: 0, endMs: 15, text: "E" }],
        workspace: [{ id: "b.md", text: "B", stability: 1, addedMs: 22, usedMs: 22 }],
      },
      50,
      words,
    )
    expect(lanes.map(({ name, marks }) => [name, marks.map(({ fromMs, toMs, kind }) => `${fromMs}-${toMs} ${kind}`)])).toEqual([
      ["Turns", ["10-20 plain"]],
      ["Wakes", ["30-31 bad"]],
      ["Background", ["25-50 plain"]],
      ["Event of a day", ["0-15 soft"]],
      ["Workspace: a.md", ["20-40 soft", "20-20 good", "40-40 bad"]],
      ["Workspace: b.md", ["22-50 soft", "22-22 good"]],
    ])
  })

  test("tells each thing once in words, the newest first, with the reason of wakes and jobs", () => {
    const rows = rowsOf(
      {
        ...empty,
        turns: [
          { id: "t", atMs: 10, question: "q", state: "answered" },
          { id: "w", atMs: 30, wake: "why", question: "", state: "failed" },
        ],
        jobs: [{ kind: "tidy", turn: "t", state: "failed", attempt: 2, startedMs: 25, message: "no" }],
        changes: [{ ...change, area: "events", id: "e", grain: "day", atMs: 50 }],
        events: [
          { id: "e", grain: "day", startMs: 0, endMs: 15, text: "E" },
          { id: "f", grain: "day", startMs: 0, endMs: 16, text: "F" },
        ],
      },
      words,
    )
    expect(rows.map(({ kind, what, text, isBad }) => [kind, what, text, isBad])).toEqual([
      ["Events", "came (by a tool)", "Event of a day · A", false],
      ["wake", "failed", "why", true],
      ["Background", "failed (attempt 2)", "tidy · after “q” · no", true],
      ["Events", "Event of a day", "F", false],
      ["turn", "answered", "q", false],
    ])
  })

  test("of nothing has no extent", () => {
    expect(extentOf(empty)).toBeUndefined()
    expect(extentOf({ ...empty, changes: [change] })).toEqual([20, 20])
  })
})
