import { describe, expect, test, vi } from "vitest"
import type { HistoryMessage } from "../../../../src/core/conversation.ts"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import type { JobContext } from "../../../../src/memory/services/background/background-job.ts"
import {
  backgroundInjection,
  daysIn,
  dialogueInjection,
  heardBefore,
  type TurnWords,
  wordsOfTurn,
} from "../../../../src/memory/services/background/dialogue.ts"
import { waitingTurns } from "../../../../src/memory/services/background/waiting-turns.ts"
import type { Job } from "../../../../src/memory/services/store/job-runner.ts"
import type { Receipt } from "../../../../src/memory/services/store/receipt.ts"
import type { ReceiptRecords } from "../../../../src/memory/services/store/records.ts"
import { filterMessages } from "../../../../src/memory/services/store/session-store.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const [ann, fay] = [
  { id: "ann", name: "Ann" },
  { id: "fay", name: "Fay" },
]
const jobOf = (turnId: string, payload: Record<string, unknown>): Job => ({
  id: "j",
  kind: "memory",
  key,
  turnId,
  atMs: 0,
  payload,
})

/** The conversation as a job sees it, and how many messages it asked for each time. */
function seen(messages: readonly HistoryMessage[]): { readonly context: JobContext; readonly limits: number[] } {
  const limits: number[] = []
  const read: JobContext["messages"] = async (filter) => {
    limits.push(filter.limit)
    return filterMessages(messages, filter)
  }
  return { context: { messages: read } as JobContext, limits }
}

const user = (turnId: string, atMs: number, text = turnId): HistoryMessage => ({ role: "user", text, speaker: ann, turnId, atMs })
const agent = (turnId: string, atMs: number, text = `to ${turnId}`): HistoryMessage => {
  return { role: "assistant", text, speaker: fay, turnId, atMs }
}
const heard = (turnId: string, atMs: number, text = turnId): HistoryMessage => ({ ...user(turnId, atMs, text), unanswered: true })

/** A conversation of turns, some of one message or with blank words, and of words that were heard, some at one moment. */
function conversation(seed: number, length: number): readonly HistoryMessage[] {
  const random = mulberry32(seed)
  const below = (end: number) => Math.floor(random() * end)
  const messages: HistoryMessage[] = []
  const bursts = below(3) === 0
  for (let at = 0, atMs = 10; at < length; at++) {
    atMs += below(3)
    const turnId = `t${at}`
    const text = below(6) === 0 ? " " : turnId
    if (below(bursts ? 2 : 5) === 0) {
      // Words may be stored behind later ones, and some are of the agent.
      const message = heard(turnId, atMs + below(5) - 1, text)
      messages.push(below(5) === 0 ? { ...message, role: "assistant" } : message)
    } else messages.push(user(turnId, atMs, text), ...(below(4) === 0 ? [] : [agent(turnId, atMs + below(2))]))
  }
  return messages
}

const seeds = Array.from({ length: 400 }, (_, at) => at + 1)
const isSaid = ({ text }: HistoryMessage) => text.trim() !== ""

describe("the words of a turn", () => {
  test("are its messages that are no blanks, found again by their times, with a second look only if others fill the first", async () => {
    for (const seed of seeds) {
      const messages = conversation(seed, seed % 10 === 0 ? 260 : 1 + (seed % 9))
      const turnIds = [...new Set(messages.map(({ turnId }) => turnId))]
      const turnId = turnIds[seed % turnIds.length] ?? ""
      const own = messages.filter((message) => message.turnId === turnId)
      const [fromMs, untilMs] = [Math.min(...own.map(({ atMs }) => atMs)), Math.max(...own.map(({ atMs }) => atMs))]
      const times = [{ fromMs, untilMs }, {}, { fromMs }, { untilMs: "soon", fromMs }][seed % 4] ?? {}
      const counts = seed % 3 === 0 ? {} : { count: own.length }
      const { context, limits } = seen(messages)
      const words = await wordsOfTurn(jobOf(turnId, { turn: seed, untrusted: seed % 2 === 0, ...counts, ...times }), context)
      const between = seed % 4 === 0 ? messages.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs) : messages
      const reached = between.slice(-400).filter((message) => message.turnId === turnId)
      const expected = reached.filter(isSaid)
      const turn = { turnId, turn: seed, untrusted: seed % 2 === 0, messages: expected }
      expect(words, `seed ${seed}`).toEqual(expected.length === 0 ? undefined : turn)
      const isNear = between.slice(-own.length).every((message) => message.turnId === turnId)
      expect(limits, `seed ${seed}`).toEqual(counts.count === undefined ? [400] : isNear ? [own.length] : [own.length, 400])
    }
  })

  test.each([
    [{}, 0, false],
    [{ turn: "3", untrusted: "yes" }, 0, false],
    [{ turn: 3, untrusted: true }, 3, true],
  ])("of the payload %j have the number %d and the trust %s", async (payload, turn, untrusted) => {
    const { context } = seen([user("t1", 1)])
    expect(await wordsOfTurn(jobOf("t1", payload), context)).toMatchObject({ turn, untrusted })
  })
})

describe("turns that wait to be judged together", () => {
  const receiptsOf = (batches: ReadonlyMap<string, Receipt["value"]>, judged?: string) =>
    ({
      ofTurn: async (turnId: string) => [
        { kind: "use", value: { turn: 99 } },
        ...(batches.has(turnId) ? [{ turnId, kind: "batch", value: batches.get(turnId) }] : []),
        ...(judged === turnId ? [{ turnId, kind: "importance", outcome: "ok" }] : []),
      ],
    }) as unknown as ReceiptRecords

  test("are all since the last judgement of their user that have a receipt of it, oldest first, and are looked for near at hand", async () => {
    let [found, far, ended] = [0, 0, 0]
    for (const seed of seeds) {
      const messages = conversation(seed, seed % 10 === 0 ? 300 : 1 + (seed % 14))
      const turnIds = [...new Set(messages.map(({ turnId }) => turnId))]
      const own = turnIds[turnIds.length - 1 - (seed % 2)] ?? "none"
      const judged = seed % 3 === 1 ? turnIds[seed % 2] : undefined
      const placeIn = (turnId: string, turn: number) => {
        const times = messages.flatMap((message) => (message.turnId === turnId ? [message.atMs] : []))
        return { turnId, turn, untrusted: turn % 2 === 0, fromMs: Math.min(...times), untilMs: Math.max(...times) }
      }
      const batches = new Map(turnIds.filter((_, at) => (at + seed) % 5 !== 0).map((id, at) => [id, placeIn(id, at)]))
      const untilMs = messages.findLast(({ turnId }) => turnId === own)?.atMs
      const batchTurns = 2 + (seed % 4)
      const { context, limits } = seen(messages)
      const payload = seed % 3 === 0 ? {} : { untilMs }
      const { waiting } = await waitingTurns(jobOf(own, payload), {
        context,
        receipts: receiptsOf(batches, judged),
        batchTurns,
      })
      const until = messages.filter(({ atMs }) => seed % 3 === 0 || atMs <= (untilMs ?? 0))
      const asked = [4 * batchTurns]
      let looked = until.slice(-4 * batchTurns)
      const idsIn = () => looked.flatMap(({ unanswered, turnId }) => (unanswered || turnId === own ? [] : [turnId]))
      while (looked.length === asked.at(-1) && !idsIn().some((id) => id === judged)) {
        asked.push(4 * (asked.at(-1) ?? 0))
        looked = until.filter(({ speaker }) => speaker.id === "ann").slice(-(asked.at(-1) ?? 0))
      }
      const isFar = asked.length > 1
      const ids = [...new Set(idsIn())]
      const since = ids.slice(ids.indexOf(judged ?? "") + 1).filter((id) => batches.has(id))
      const expected = since.map((turnId) => {
        const { turn, untrusted } = batches.get(turnId) ?? {}
        const words = (isFar ? messages : looked).filter((message) => message.turnId === turnId && isSaid(message))
        return { turnId, turn, untrusted, messages: words }
      })
      expect(waiting, `seed ${seed}`).toEqual(expected.filter(({ messages }) => messages.length > 0))
      expect(limits, `seed ${seed}`).toEqual([...asked, ...(isFar ? since.map(() => 400) : [])])
      found += waiting.length
      far += isFar ? 1 : 0
      ended += isFar && ids.includes(judged ?? "") ? 1 : 0
    }
    expect([found > 400, far > 100, far < 400, ended > 5]).toEqual([true, true, true, true])
  })

  test("are also those in which only the agent spoke, such as one that went on after an approval, behind many turns of others", async () => {
    const others = Array.from({ length: 20 }, (_, at) => ({ ...user(`b${at}`, at), speaker: { id: "bob", name: "Bob" } }))
    const { context } = seen([...others, agent("t", 30), user("own", 40)])
    const place = { turnId: "t", turn: 20, untrusted: false, fromMs: 30, untilMs: 30 }
    const batch = { context, receipts: receiptsOf(new Map([["t", place]])), batchTurns: 2 }
    const { waiting } = await waitingTurns(jobOf("own", { untilMs: 40 }), batch)
    expect(waiting).toEqual([{ turnId: "t", turn: 20, untrusted: false, messages: [agent("t", 30)] }])
  })

  test("are looked for in 400 messages at most", async () => {
    const { context, limits } = seen([user("t1", 1), user("t2", 2)])
    const batch = { context, receipts: receiptsOf(new Map([["t1", {}]])), batchTurns: 500 }
    const [only, ...others] = (await waitingTurns(jobOf("t2", {}), batch)).waiting
    expect([only, others, limits]).toEqual([{ turnId: "t1", turn: 0, untrusted: false, messages: [user("t1", 1)] }, [], [400]])
  })
})

describe("words that were heard before turns", () => {
  const turnsOf = (ids: readonly string[]): readonly TurnWords[] =>
    ids.map((turnId) => ({ turnId, turn: 1, untrusted: true, messages: [] }))
  const asTurn = (message: HistoryMessage): TurnWords => ({
    turnId: message.turnId,
    turn: 7,
    untrusted: false,
    messages: [message],
  })

  test("are what users said since the answered turn before, or while it was being stored, and after the switch", async () => {
    let [found, again] = [0, 0]
    for (const seed of seeds) {
      const messages = conversation(seed, 2 + (seed % 12))
      const answered = [...new Set(messages.filter(({ unanswered }) => !unanswered).map(({ turnId }) => turnId))]
      const own = new Set(answered.slice(seed % 2 === 0 ? -1 : -2))
      const untilMs = Math.max(0, ...messages.filter(({ turnId }) => own.has(turnId)).map(({ atMs }) => atMs))
      const sinceMs = messages[seed % messages.length]?.atMs ?? 0
      const payload = { turn: 7, ...(seed % 3 === 0 ? {} : { untilMs }), ...(seed % 5 === 0 ? { sinceMs } : {}) }
      const { context, limits } = seen(messages)
      const result = await heardBefore(turnsOf([...own]), jobOf("own", payload), context)
      const until = messages.filter(({ atMs }) => seed % 3 === 0 || atMs <= untilMs)
      const isNear = until.slice(-(2 * own.size + 3)).some(({ unanswered, turnId }) => unanswered && !own.has(turnId))
      const others = until.filter(({ turnId }) => !own.has(turnId))
      const before = others.findLastIndex(({ unanswered }) => !unanswered)
      const expected = others.filter((message, at) => {
        const isLater = at > before || message.atMs > (others[before]?.atMs ?? 0)
        const isOn = seed % 5 !== 0 || message.atMs > sinceMs
        return message.unanswered && message.role === "user" && isSaid(message) && isLater && isOn
      })
      expect(result, `seed ${seed}`).toEqual(isNear ? { heard: expected.map(asTurn), left: 0 } : { heard: [], left: 0 })
      expect(limits).toEqual(isNear ? [2 * own.size + 3, 400] : [2 * own.size + 3])
      found += result.heard.length
      again += limits.length - 1
    }
    expect([found > 100, again > 100, again < 400]).toEqual([true, true, true])
  })

  test.each([
    [[...Array(50)].map(() => 1), 50, 0],
    [[...Array(51)].map(() => 1), 50, 1],
    [[...Array(70)].map(() => 160), 50, 20],
    [[...Array(70)].map(() => 161), 49, 21],
    [[1, 4_000, 4_000], 2, 1],
    [[1, 4_000, 3_999], 3, 0],
    [[1, 8_001], 0, 2],
    [[1, 8_000], 1, 1],
    [[1, 8_001, 5], 1, 2],
  ])("are the newest of many: of lengths %j so many: %d, and %d are left", async (lengths, kept, left) => {
    const words = lengths.map((length, at) => heard(`h${at}`, at, "x".repeat(length)))
    const { context } = seen([...words, user("own", 100)])
    const found = await heardBefore(turnsOf(["own"]), jobOf("own", { turn: 7 }), context)
    expect(found).toEqual({ heard: kept === 0 ? [] : words.slice(-kept).map(asTurn), left })
  })
})

describe("what a background prompt is given", () => {
  const turns: readonly TurnWords[] = [
    { turnId: "a", turn: 0, untrusted: false, messages: [user("a", 5, "hi"), agent("a", 6, "hello")] },
    { turnId: "b", turn: 1, untrusted: true, messages: [user("b", 7, "so")] },
  ]

  test("is each message with its speaker and trust, and on demand with its number and day", () => {
    const text = (of: string, trust: string) => ({ text: of, trust })
    const lines = [
      { speaker: text("Ann", "user"), text: text("hi", "user") },
      { speaker: text("Fay", "agent"), text: text("hello", "agent") },
      { speaker: text("Ann", "user"), text: text("so", "user") },
    ]
    expect(dialogueInjection(turns).content).toEqual(lines)
    expect(dialogueInjection(turns, (atMs) => `day ${atMs}`).content).toEqual(
      lines.map((line, at) => ({ id: text(`${at + 1}`, "author"), at: text(`day ${5 + at}`, "author"), ...line })),
    )
    expect(dialogueInjection(turns)).toMatchObject({ key: "dialogue", trust: "memory" })
  })

  test.each([
    [[{ text: "a" }], "entries"],
    [[], "entries"],
    ["words", "headTail"],
    [true, "headTail"],
  ])("of %j loses %s where it does not fit, and keeps a token", (content, shrink) => {
    expect(backgroundInjection("keys", content as never)).toEqual({
      key: "keys",
      content,
      trust: "memory",
      priority: expect.any(Number),
      role: "system",
      scope: "turn",
      enabled: true,
      fit: { rank: 50, shrink, minTokens: 1 },
    })
  })
})

test("M21 a background prompt shows the user's words whole, and the agent's in their first sentences and the last one", () => {
  const text = `${"Gulls sleep on the harbour wall. ".repeat(20)}So bring no bread.`
  const messages: readonly HistoryMessage[] = [
    { role: "user", text, speaker: ann, turnId: "t", atMs: 0 },
    { role: "assistant", text, speaker: fay, turnId: "t", atMs: 1 },
  ]
  const { content } = dialogueInjection([{ turnId: "t", turn: 0, untrusted: false, messages }])
  const shown = (content as unknown as readonly { readonly text: { readonly text: string } }[]).map((line) => line.text.text)
  expect(shown[0]).toBe(text)
  expect(shown[1]).toMatch(/^(?:Gulls sleep on the harbour wall\. ?){6,9}…So bring no bread\.$/)
  expect(shown[1]?.length).toBeLessThanOrEqual(300)
})

test("M21 of several turns each answer is shown in at most 100 characters, and a day where it is another than before", () => {
  const text = "Gulls sleep on the harbour wall. ".repeat(20)
  const turns = [0, 1, 2].map((turn) => ({
    turnId: `t${turn}`,
    turn,
    untrusted: false,
    messages: (["user", "assistant"] as const).map((role) => {
      return { role, text, speaker: role === "user" ? ann : fay, turnId: `t${turn}`, atMs: turn === 2 ? 86_400_000 : turn }
    }),
  }))
  const { content } = dialogueInjection(turns, daysIn("UTC"))
  const lines = content as unknown as readonly Readonly<Record<"text" | "id" | "at", { readonly text: string } | undefined>>[]
  expect(lines.map(({ id, at }) => [id?.text, at?.text])).toEqual([
    ["1", "1970-01-01"],
    ["2", undefined],
    ["3", undefined],
    ["4", undefined],
    ["5", "1970-01-02"],
    ["6", undefined],
  ])
  expect(lines.map(({ text: shown }) => (shown?.text.length ?? 0) <= 100)).toEqual([false, true, false, true, false, true])
})

test("the days of a time zone are written by one format, however often they are asked for", () => {
  expect(daysIn("Asia/Tokyo")(Date.UTC(2026, 2, 3, 20))).toBe("2026-03-04")
  expect(daysIn("America/New_York")(Date.UTC(2026, 0, 1, 2))).toBe("2025-12-31")
  const made = vi.spyOn(Intl, "DateTimeFormat")
  for (let hour = 0; hour < 24; hour++)
    expect(daysIn("Asia/Tokyo")(Date.UTC(2026, 2, 3, hour))).toBe(hour < 15 ? "2026-03-03" : "2026-03-04")
  expect(made).not.toHaveBeenCalled()
  made.mockRestore()
})
