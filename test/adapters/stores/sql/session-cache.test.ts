import { describe, expect, test } from "vitest"
import {
  type CachedSession,
  newestOf,
  SessionCache,
  withMessages,
} from "../../../../src/adapters/stores/sql/session/session-cache.ts"
import { createSqlStore } from "../../../../src/adapters/stores/sql/sql-store.ts"
import type { SessionKey } from "../../../../src/core/conversation.ts"
import type { ForgetReport } from "../../../../src/memory/services/store/store.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"

const keyOf = (conversation: string): SessionKey => ({ agent: "fay", conversation, audience: "private" })

function knownOf(rest: Partial<CachedSession> = {}): CachedSession {
  return {
    version: 1,
    epoch: 0,
    nextPosition: 0,
    history: [],
    spoken: 0,
    isWhole: true,
    asked: 0,
    state: {},
    historyCharacters: 10,
    size: { whole: 10, changes: 0 },
    ...rest,
  }
}

function cache(): { readonly cache: SessionCache; readonly timers: ReturnType<typeof manualTimers> } {
  const timers = manualTimers(manualClock(0))
  return { cache: new SessionCache(timers), timers }
}

describe("what is known of sessions", () => {
  test("is one state of each, the newest, whichever comes last", () => {
    const { cache: known } = cache()
    const [key, third] = [keyOf("chat"), knownOf({ version: 3 })]
    known.keeper()(key, knownOf({ version: 2 }))
    known.keeper()(key, third)
    known.keeper()(key, knownOf({ version: 2 }))
    expect(known.get(key)).toBe(third)
    const anew = knownOf({ version: 1, epoch: 1 })
    known.keeper()(key, anew)
    known.keeper()(key, third)
    expect(known.get(key), "one that was deleted and began anew").toBe(anew)
    known.keeper()(key, undefined)
    expect(known.get(key)).toBeUndefined()
  })

  test("has eight million characters together: who was used the longest ago goes, and one above that is not kept", () => {
    const { cache: known } = cache()
    const large = knownOf({ size: { whole: 2_000_000, changes: 1_000_000 }, historyCharacters: 0 })
    for (const name of ["a", "b"]) known.keeper()(keyOf(name), large)
    known.keeper()(keyOf("a"), known.get(keyOf("a")))
    known.keeper()(keyOf("c"), large)
    expect(["a", "b", "c"].map((name) => known.get(keyOf(name)) === large)).toEqual([true, false, true])
    known.keeper()(keyOf("a"), knownOf({ version: 2, historyCharacters: 8_000_001 }))
    expect(["a", "c"].map((name) => known.get(keyOf(name)) === large)).toEqual([false, true])
  })

  test("is not without end where sessions have hardly a word: each counts by itself", () => {
    const { cache: known } = cache()
    const small = knownOf({ size: { whole: 2, changes: 0 }, historyCharacters: 0 })
    for (let at = 0; at < 17_000; at++) known.keeper()(keyOf(`chat ${at}`), small)
    expect([0, 1_000, 1_100, 16_999].map((at) => known.get(keyOf(`chat ${at}`)) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  test("is let go of after five minutes of rest, so that words which another process forgets do not stay", () => {
    const { cache: known, timers } = cache()
    known.keeper()(keyOf("chat"), knownOf())
    timers.advance(299_000)
    expect(known.get(keyOf("chat"))).toBeDefined()
    known.keeper()(keyOf("chat"), knownOf({ version: 2 }))
    timers.advance(299_000)
    expect(known.get(keyOf("chat"))?.version).toBe(2)
    timers.advance(1_000)
    expect(known.get(keyOf("chat"))).toBeUndefined()
  })

  test("does not take what was read before all was let go of", () => {
    const { cache: known } = cache()
    const keep = known.keeper()
    known.keeper()(keyOf("chat"), knownOf())
    known.clear()
    expect(known.get(keyOf("chat"))).toBeUndefined()
    keep(keyOf("chat"), knownOf())
    expect(known.get(keyOf("chat"))).toBeUndefined()
    known.keeper()(keyOf("chat"), knownOf())
    expect(known.get(keyOf("chat"))).toBeDefined()
  })

  test.each([
    [0, 400],
    [200, 400],
    [250, 500],
    [1_000, 2_000],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])(
    "of a session that %d messages were asked of there are at most %d, the newest, and it counts what it keeps",
    (asked, most) => {
      const messageOf = (at: number) =>
        ({
          role: "user",
          text: at % 10 === 0 ? " " : `${at}`,
          speaker: { id: "ann", name: "Ann" },
          atMs: at,
          turnId: `t${at}`,
        }) as const
      const spokenUntil = (end: number) => end - Math.ceil(end / 10)
      let session = knownOf({ asked, historyCharacters: 0 })
      let begin = 0
      for (let at = 0; at < 2_100; at += 2) {
        session = withMessages(session, [messageOf(at), messageOf(at + 1)], 60)
        if (at + 2 - begin > most) begin = at + 2 - most / 2
        expect(session.history.map(({ atMs }) => atMs)).toEqual(Array.from({ length: at + 2 - begin }, (_, i) => begin + i))
        expect([session.spoken, session.isWhole]).toEqual([spokenUntil(at + 2), begin === 0])
        expect(Math.abs(session.historyCharacters / (30 * session.history.length) - 1)).toBeLessThan(0.02)
      }
      for (const last of [undefined, -1, 0, 1, 150, session.history.length, 9_999]) {
        const { history, earlier } = newestOf(session, last)
        const kept = Math.min(session.history.length, Math.max(0, last ?? session.history.length))
        expect(history).toEqual(kept === 0 ? [] : session.history.slice(-kept))
        expect(earlier).toBe(spokenUntil(2_100 - kept))
      }
    },
  )

  test("is let go of once something was forgotten, also where that failed, and when the store is closed", async () => {
    const { cache: known } = cache()
    let outcome: Promise<ForgetReport> = Promise.resolve({})
    const refused = () => Promise.reject(new Error("not asked for"))
    const database = {
      types: { text: "text", bytes: "blob" },
      read: refused,
      readOnce: refused,
      lockSchema: refused,
      lockAgent: refused,
      close: refused,
    } as const
    const jobs = {
      bodies: [],
      enqueue: refused,
      restore: refused,
      forget: refused,
      forgetTurns: refused,
      list: refused,
      wake: () => undefined,
      check: refused,
    }
    const done = async () => undefined
    const store = createSqlStore({
      database: { ...database, write: () => outcome as Promise<never> },
      jobs,
      runner: { start: refused, idle: refused, close: refused, dead: refused },
      cache: known,
      stopForgotten: done,
      erase: done,
      checkFile: refused,
      close: done,
    })
    const isKnown = () => known.get(keyOf("chat")) !== undefined
    known.keeper()(keyOf("chat"), knownOf())
    await store.forget({ agent: "fay", user: "ann" })
    expect(isKnown()).toBe(false)
    known.keeper()(keyOf("chat"), knownOf())
    outcome = Promise.reject(new Error("the connection was lost"))
    await expect(store.forget({ agent: "fay", user: "ann" })).rejects.toThrow("the connection was lost")
    expect(isKnown()).toBe(false)
    known.keeper()(keyOf("chat"), knownOf())
    await store.close()
    expect(isKnown()).toBe(false)
  })
})
