import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { createObserverFeeds } from "../../../../src/loop/agent/observers/observers.ts"
import type { ObservedTurn } from "../../../../src/loop/turn/turn-context.ts"
import type { Observer, ObserverContext } from "../../../../src/memory/services/observer.ts"
import type { SessionNote, SessionStore } from "../../../../src/memory/services/store/session-store.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { countingIds, manualClock, manualTimers, scriptedModel } from "../../../../src/testing/index.ts"
import type { TurnEvent } from "../../../../src/trace/turn-event.ts"

const turnOf = (turnId: string, wake?: string): ObservedTurn => ({
  input: {
    key: { agent: "a", conversation: "c", audience: "private", user: "u" },
    turnId,
    ...(wake === undefined ? {} : { wake }),
  } as ObservedTurn["input"],
})

const delta = (text: string): TurnEvent => ({ type: "text-delta", delta: text })

const end = { type: "turn-end", result: { ok: true, text: "", trace: "large" } } as unknown as TurnEvent

/** ObserverFeeds over a store that takes notes down, with timers whose delays are kept. */
function fed(observers: readonly Observer[], { warn }: { readonly warn?: () => void } = {}) {
  const timers = manualTimers(manualClock())
  const delays: number[] = []
  const notes: SessionNote[] = []
  const warnings: string[] = []
  const woken: string[] = []
  const set = (callback: () => void, delayMs: number) => {
    delays.push(delayMs)
    return timers.set(callback, delayMs)
  }
  const store = { post: async (_: unknown, note: SessionNote) => notes.push(note) > 0 } as unknown as SessionStore
  const made = createObserverFeeds(observers, {
    store,
    ids: countingIds(),
    hooks: new Set(["keeper"]),
    timers: { set, clear: timers.clear },
    drainMs: 90_000,
    wake: (_, reason) => woken.push(reason) > 0,
    warn: ({ input: { turnId } }, message) => {
      warnings.push(`${turnId}: ${message}`)
      warn?.()
    },
  })
  return { observers: made, timers, delays, notes, warnings, woken }
}

async function settle(): Promise<void> {
  for (let tick = 0; tick < 60; tick++) await Promise.resolve()
}

describe("R26 what an observer is told", () => {
  test("telling sets no timer, runs nothing and never throws, however much there is to tell", async () => {
    let calls = 0
    const { observers, delays } = fed([{ name: "o", observe: () => void calls++ }])
    const turn = turnOf("t")
    for (let at = 0; at < 10_000; at++) observers.tell(turn, delta("x"))
    expect([calls, delays]).toEqual([0, []])
    await observers.idle()
    expect(calls).toBe(1_000)
  })

  test("events wait up to a bound, ends of turns up to twice that; each gap is told with the event after it, and reported once", async () => {
    const heard: [string, number][] = []
    const observe: Observer["observe"] = (event, { missed }) =>
      void heard.push([event.type === "text-delta" ? event.delta : event.type, missed])
    const { observers, warnings } = fed([{ name: "o", maxQueued: 3, observe }])
    const turn = turnOf("t1")
    for (let at = 0; at < 10; at++) observers.tell(turn, delta(String(at)))
    for (let at = 0; at < 10; at++) observers.tell(turn, end)
    await settle()
    const inTime: [string, number][] = ["0", "1", "2"].map((text) => [text, 0])
    expect(heard).toEqual([...inTime, ["turn-end", 7], ["turn-end", 0], ["turn-end", 0]])
    expect(warnings).toEqual(["t1: The observer o was too slow: 7 events were left out."])
    const next = turnOf("t2")
    observers.tell(next, delta("later"))
    await settle()
    expect(heard.at(-1)).toEqual(["later", 7])
    expect(warnings.slice(1)).toEqual(["t2: The observer o was too slow: 7 events were left out."])
    observers.tell(next, end)
    await settle()
    observers.close()
    expect(warnings).toHaveLength(2)
  })

  test("several gaps in one turn are one warning, at its end", async () => {
    let release = Promise.withResolvers<void>()
    const { observers, warnings } = fed([{ name: "o", maxQueued: 1, observe: () => release.promise }])
    const turn = turnOf("t")
    for (let gap = 0; gap < 3; gap++) {
      for (let at = 0; at < 4; at++) observers.tell(turn, delta("x"))
      await settle()
      release.resolve()
      await settle()
      release = Promise.withResolvers()
    }
    expect(warnings).toEqual([])
    release.resolve()
    observers.tell(turn, end)
    await settle()
    expect(warnings).toEqual(["t: The observer o was too slow: 9 events were left out."])
  })

  test("every event is either told, in order, or counted once in what is missed and in what is reported", async () => {
    const step = fc.oneof(fc.constant("delta"), fc.constant("end"), fc.constant("turn"), fc.constant("pause"))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), async (steps, maxQueued) => {
        const heard: { readonly at: number; readonly missed: number }[] = []
        const observe: Observer["observe"] = (event, { missed }) => {
          const at = event.type === "text-delta" ? Number(event.delta) : (event as { at?: number }).at
          heard.push({ at: at ?? -1, missed })
        }
        const { observers, warnings } = fed([{ name: "o", maxQueued, observe }])
        let turn = turnOf("t0")
        let told = 0
        for (const what of steps) {
          if (what === "delta") observers.tell(turn, delta(String(told++)))
          if (what === "end") observers.tell(turn, { ...end, at: told++ } as unknown as TurnEvent)
          if (what === "turn") turn = turnOf(`t${told}`)
          if (what === "pause") await settle()
        }
        await settle()
        for (const [index, { at, missed }] of heard.entries()) expect(missed).toBe(at - (heard[index - 1]?.at ?? -1) - 1)
        observers.close()
        const reported = warnings.map((warning) => Number(/(\d+) events/.exec(warning)?.[1]))
        expect(reported.reduce((sum, count) => sum + count, 0)).toBe(told - heard.length)
        expect(reported.every((count) => count > 0)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  test("only what it wants, each event a copy of its own without traces, also inside a child's", async () => {
    const seen: unknown[] = []
    const spoil: Observer["observe"] = (event, { key }) => {
      seen.push(structuredClone(event))
      for (const name of Object.keys(event)) (event as Record<string, unknown>)[name] = "spoilt"
      ;(key as unknown as Record<string, unknown>).user = "somebody else"
    }
    const keys: string[] = []
    const { observers } = fed([
      { name: "a", observe: spoil, events: ["turn-end", "child", "tool-end"] },
      { name: "b", observe: spoil, events: ["turn-end"] },
      { name: "c", observe: (_, { key }) => void keys.push(key.user) },
    ])
    const turn = turnOf("t")
    const child: TurnEvent = { type: "child", id: "1", name: "tools", event: end }
    const run = { type: "tool-end", run: { id: "1", tool: "x", args: { deep: [{ at: 1 }] } } } as unknown as TurnEvent
    for (const event of [delta("x"), run, child, end]) observers.tell(turn, event)
    await settle()
    const bare = { type: "turn-end", result: { ok: true, text: "", records: [] } }
    expect(seen).toHaveLength(4)
    expect(seen).toEqual(expect.arrayContaining([run, { ...child, event: bare }, bare, bare]))
    expect(run).toMatchObject({ run: { args: { deep: [{ at: 1 }] } } })
    expect(keys).toEqual(["u", "u", "u", "u"])
    expect(turn.input.key.user).toBe("u")
  })

  test("after each failure it waits twice as long, after five in a row it gets no more events; a success begins anew", async () => {
    let isGood = false
    const heard: string[] = []
    const observe: Observer["observe"] = (event) => {
      if (event.type === "text-delta") heard.push(event.delta)
      if (!isGood) throw new Error("broken.")
    }
    const { observers, timers, delays, warnings } = fed([{ name: "o", timeoutMs: 77, observe }])
    const turn = turnOf("t")
    for (let at = 0; at < 20; at++) observers.tell(turn, delta(String(at)))
    for (let at = 0; at < 4; at++) {
      await settle()
      expect(heard).toHaveLength(at + 1)
      isGood = at === 3
      timers.advance(1_000 * 2 ** at - 1)
      await settle()
      expect(heard).toHaveLength(at + 1)
      timers.advance(1)
    }
    await settle()
    expect(heard).toHaveLength(20)
    isGood = false
    for (let at = 0; at < 20; at++) observers.tell(turn, delta("again"))
    for (let at = 0; at < 10; at++) {
      await settle()
      timers.advance(60_000)
    }
    expect(heard).toHaveLength(25)
    expect(delays.filter((delayMs) => delayMs !== 77)).toEqual([1_000, 2_000, 4_000, 8_000, 1_000, 2_000, 4_000, 8_000])
    const failed = "t: The observer o failed: broken"
    expect(warnings).toEqual([
      ...Array.from({ length: 8 }, () => `${failed}.`),
      `${failed}; after 5 failures in a row it gets no more events.`,
    ])
    expect(timers.pending).toBe(0)
    observers.tell(turn, delta("never"))
    await settle()
    expect(heard).toHaveLength(25)
  })

  test("an event's time is its observer's, ten seconds where it says none; past it the context only throws", async () => {
    const contexts: ObserverContext[] = []
    const hang: Observer["observe"] = (_, context) => {
      contexts.push(context)
      return new Promise(() => undefined)
    }
    const { observers, timers, delays, warnings, notes, woken } = fed([
      { name: "a", timeoutMs: 77, observe: hang },
      { name: "b", observe: hang },
    ])
    observers.tell(turnOf("t"), delta("x"))
    await settle()
    expect(delays).toEqual([77, 10_000])
    timers.advance(10_000)
    await settle()
    expect(warnings).toEqual(["t: The observer a took longer than 77 ms.", "t: The observer b took longer than 10000 ms."])
    for (const { signal, post, inject, wake } of contexts) {
      expect(signal.aborted).toBe(true)
      await expect(post({ id: "1", owner: "keeper", payload: {} })).rejects.toThrow()
      await expect(inject({ key: "k", text: "t" })).rejects.toThrow()
      expect(() => wake("r")).toThrow()
    }
    expect([notes, woken]).toEqual([[], []])
  })

  test("closing aborts what runs, leaves no timer, reports what was never told, and is not waited for beyond a limit", async () => {
    let signal: AbortSignal | undefined
    let calls = 0
    const observe: Observer["observe"] = (_, context) => {
      calls++
      signal = context.signal
      return new Promise(() => undefined)
    }
    const { observers, timers, delays, warnings } = fed([{ name: "o", observe }])
    for (let at = 0; at < 3; at++) observers.tell(turnOf("t"), delta("x"))
    await settle()
    let isIdle = false
    const idle = observers.idle().then(() => {
      isIdle = true
    })
    await settle()
    expect(isIdle).toBe(false)
    expect(delays).toContain(90_000)
    observers.close()
    await idle
    observers.close()
    observers.tell(turnOf("u"), end)
    await settle()
    expect(signal?.aborted).toBe(true)
    expect(calls).toBe(1)
    expect(timers.pending).toBe(0)
    expect(warnings).toEqual(["t: The observer o was too slow: 2 events were left out."])
  })

  test("closed while it waits after a failure, it waits no longer", async () => {
    const { observers, timers } = fed([
      {
        name: "o",
        observe: () => {
          throw new Error("broken")
        },
      },
    ])
    observers.tell(turnOf("t"), delta("x"))
    await settle()
    expect(timers.pending).toBe(1)
    observers.close()
    await observers.idle()
    expect(timers.pending).toBe(0)
  })

  test("notes are for a hook that there is, plain data of a bounded size, and so many in a turn", async () => {
    const refused: string[] = []
    const tell = async (context: ObserverContext, note: unknown) =>
      context.post(note as SessionNote).catch((error: Error) => void refused.push(error.message))
    const good = { id: "1", owner: "keeper", payload: { text: "x" } }
    const bad = [
      { ...good, id: "" },
      { ...good, id: "x".repeat(201) },
      { ...good, id: 1 },
      { ...good, owner: "nobody" },
      { ...good, payload: [] },
      { ...good, payload: null },
      { ...good, payload: { text: "x".repeat(64_001) } },
    ]
    const observe: Observer["observe"] = async (event, context) => {
      if (event.type === "turn-end") for (const note of bad) await tell(context, note)
      else for (let at = 0; at < 20; at++) await tell(context, { ...good, id: `${at}` })
    }
    const { observers, notes } = fed([{ name: "o", observe }])
    const turn = turnOf("t")
    for (const event of [end, delta("a"), delta("b")]) observers.tell(turn, event)
    await observers.idle()
    expect(refused).toHaveLength(bad.length + 8)
    expect(refused.slice(0, 7).join("\n")).toMatch(
      /an id of[\s\S]*an id of[\s\S]*an id of[\s\S]*\(keeper\)[\s\S]*an object[\s\S]*an object[\s\S]*64000 characters/,
    )
    expect(refused.at(-1)).toContain("at most 32 notes in one turn")
    expect(notes).toHaveLength(32)
    observers.tell(turnOf("u"), delta("c"))
    await observers.idle()
    expect(notes).toHaveLength(52)
  })

  test("injections of a bad key, a long text or no finite priority are refused; others are notes of different ids", async () => {
    const refused: string[] = []
    const given: readonly Parameters<ObserverContext["inject"]>[0][] = [
      { key: "a b", text: "x" },
      { key: "a\n## b", text: "x" },
      { key: "", text: "x" },
      { key: "x".repeat(65), text: "x" },
      { key: "history:x", text: "x" },
      { key: "good", text: "x".repeat(4_001) },
      { key: "good", text: 1 as unknown as string },
      { key: "good", text: "x", priority: Number.NaN },
      { key: "good", text: "x".repeat(4_000), priority: 7 },
      { key: "good", text: "x" },
    ]
    const observe: Observer["observe"] = async (_, { inject }) => {
      for (const injection of given) await inject(injection).catch((error: Error) => void refused.push(error.message))
    }
    const { observers, notes } = fed([{ name: "o", observe }])
    observers.tell(turnOf("t"), delta("x"))
    await observers.idle()
    expect(refused).toHaveLength(8)
    expect(notes.map(({ payload }) => payload.priority)).toEqual([7, 100])
    expect(new Set(notes.map(({ id }) => id)).size).toBe(2)
  })

  test("R27 it wakes a turn's session once, and never from a turn that was itself woken", async () => {
    const said: boolean[] = []
    const observe: Observer["observe"] = (_, { wake }) => void said.push(wake("reason"), wake(1 as unknown as string))
    const { observers, woken } = fed([{ name: "o", observe }])
    const turn = turnOf("t")
    for (const each of [turnOf("w", "a reason"), turn, turn]) observers.tell(each, delta("x"))
    await observers.idle()
    expect(said).toEqual([false, false, true, false, false, false])
    expect(woken).toEqual(["reason"])
  })

  test("names and bounds that make no sense are refused when the agent is made", () => {
    const make = (settings: Partial<Observer>) => () => {
      const observer = { name: "o", observe: () => undefined, ...settings }
      return createAgent({ profile: resolveProfile(), model: scriptedModel([]), observers: [observer] })
    }
    for (const name of ["", "a b", "a\nb", "x".repeat(65), 7 as unknown as string])
      expect(make({ name })).toThrow("observer's name")
    for (const bad of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(make({ timeoutMs: bad })).toThrow("timeoutMs of the observer o")
      expect(make({ maxQueued: bad })).toThrow("maxQueued of the observer o")
    }
  })
})
