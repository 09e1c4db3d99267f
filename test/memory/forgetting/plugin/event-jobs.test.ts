import { describe, expect, test } from "vitest"
import type { HistoryMessage } from "../../../../src/core/conversation.ts"
import { type EventRecord, newEvent } from "../../../../src/memory/forgetting/events/event-record.ts"
import { readState, type VirtualContextState } from "../../../../src/memory/forgetting/plugin/context-state.ts"
import { eventJob } from "../../../../src/memory/forgetting/plugin/jobs/event-job.ts"
import { rollUpJob } from "../../../../src/memory/forgetting/plugin/jobs/roll-up-job.ts"
import { compressJob } from "../../../../src/memory/forgetting/plugin/virtual-context.ts"
import {
  type VirtualContextOptions,
  virtualContextSettings,
} from "../../../../src/memory/forgetting/plugin/virtual-context-settings.ts"
import type { BackgroundJob, CommittedTurn, JobContext } from "../../../../src/memory/services/background/background-job.ts"
import type { Receipt } from "../../../../src/memory/services/store/receipt.ts"
import { filterMessages, type SessionNote } from "../../../../src/memory/services/store/session-store.ts"
import { shippedPrompts } from "../../../../src/prompt/dialect/shipped-files.ts"
import { toolWords } from "../../../../src/prompt/tools/tool-words.ts"

const key = { agent: "a", conversation: "c", user: "u", audience: "private" } as const
const form = toolWords(shippedPrompts("tools", "en"), "en", "record_event").say
const startMs = Date.UTC(2026, 0, 31, 22, 30)
const minuteMs = 60_000

const settings = (options: VirtualContextOptions) =>
  virtualContextSettings({ ...options, events: { timeZone: "UTC", ...options.events } })

/** So many exchanges, one a minute. */
function said(exchanges: number, texts: readonly [user: string, agent: string] = ["ask", "answer"]): readonly HistoryMessage[] {
  return Array.from({ length: exchanges }, (_, at) => {
    const [turnId, atMs] = [`t${at}`, startMs + at * minuteMs]
    return [
      { role: "user", text: `${texts[0]} ${at}`, speaker: { id: "u", name: "Bob\n" }, turnId, atMs },
      { role: "assistant", text: `${texts[1]} ${at}`, speaker: { id: "f", name: "Fay" }, turnId, atMs },
    ] as const
  }).flat()
}

interface Given {
  readonly messages?: readonly HistoryMessage[]
  /** The model's answer; it fails without one. */
  readonly answer?: string
  readonly isLast?: boolean
  /** Receipts of the steps that judged turns. */
  readonly judged?: readonly object[]
}

/** Runs a job, and hands back all that it asked for, posted and noted. */
async function ran(job: BackgroundJob, payload: object, { messages = [], answer, isLast = true, judged = [] }: Given = {}) {
  const done = { asked: [] as object[], notes: [] as SessionNote[], receipts: [] as object[], filters: [] as object[] }
  const context: JobContext = {
    attempt: 1,
    isLast,
    signal: new AbortController().signal,
    ports: {} as JobContext["ports"],
    async ask(prompt, data, { signal }) {
      const contents = Object.fromEntries(data.map((one) => [`${one.key} (${one.trust})`, one.content]))
      done.asked.push({ prompt, ...contents, aborted: signal.aborted })
      if (answer === undefined) throw new Error("the server is down")
      return { text: answer, model: "m", usage: { inputTokens: 7, outputTokens: 1 }, assembly: {} as never }
    },
    async post(note) {
      return done.notes.push(note) > 0
    },
    async messages(filter) {
      done.filters.push(filter)
      return filterMessages(messages, filter)
    },
    async receiptsOf(turnIds) {
      return (judged as Receipt[]).filter(({ turnId }) => turnIds.includes(turnId))
    },
    async receipt(receipt) {
      done.receipts.push(receipt)
    },
  }
  const plain = JSON.parse(JSON.stringify(payload))
  await job.run({ id: "j", kind: job.kind, key, turnId: "t", atMs: startMs + 99 * minuteMs, payload: plain }, context)
  return done
}

/** A turn that has been committed, with such a state of the virtual context. */
function committed(state: Partial<VirtualContextState>, turn: Partial<CommittedTurn> = {}): CommittedTurn {
  return {
    ...{ key, turnId: "t", turn: 20, speaker: { id: "u", name: "Bob" }, memoryOn: true, messages: [], untrusted: false },
    hookStates: { "virtual-context": { ...readState(undefined), ...state } },
    ...turn,
  }
}

const topic = (id: string, endedTurn = 20, fromMs = startMs) =>
  ({ id, fromMs, lastMs: fromMs + minuteMs, turns: 2, beforeMs: fromMs + 5 * minuteMs, endedTurn }) as const

describe("an event of a topic (R20)", () => {
  const byRule = eventJob(settings({ events: { writer: "rule" } }), form)
  const byDefault = eventJob(settings({}), form)
  const byModel = eventJob(settings({ events: { writer: "model-call" } }), form)

  test("is asked for when the topic ends, every eight turns after that, and never with memory off", () => {
    const ended = [12, 13, 19, 20, 4].map((turn) => topic(`ended ${turn}`, turn))
    const payload = byRule.afterTurn?.(committed({ ended })) as { topics: readonly { id: string }[]; turn: number }
    expect([payload.turn, payload.topics]).toEqual([20, [ended[0], ended[3], ended[4]]])
    expect(byRule.afterTurn?.(committed({ ended: [topic("a", 19)] }))).toBeUndefined()
    expect(byRule.afterTurn?.(committed({ ended }, { memoryOn: false }))).toBeUndefined()
  })

  test("by rule: asks for the topic's messages, and posts one note for each topic", async () => {
    const topics = [topic("a"), topic("empty", 20, startMs + 50 * minuteMs)]
    const blank = { ...said(1)[0], text: " ", atMs: startMs - 1, turnId: "b" } as HistoryMessage
    const { notes, filters, asked, receipts } = await ran(byRule, { topics, turn: 21 }, { messages: [blank, ...said(9)] })
    expect({ asked, receipts, filters }).toEqual({
      asked: [],
      receipts: [],
      filters: topics.map(({ fromMs, beforeMs }) => ({ fromMs, beforeMs, limit: 200 })),
    })
    expect(notes).toMatchSnapshot()
  })

  test("by a model: the whole question, and the events with their parts, their times and their places", async () => {
    const part = (event: string, message: number) => ({ event, message, importance: 11 })
    const answer = JSON.stringify([
      {
        event: " We  met ",
        importance: 7,
        message: 2.9,
        parts: [part("She said hello", 3), { ...part("deep", 99), parts: [part("deeper", 5)] }],
      },
      { event: "We parted", importance: "much", message: -4 },
      { event: "", importance: 1 },
      "no event",
    ])
    const messages = said(3, [`ask ${"x".repeat(2_100)}`, "answer"])
    const { notes, asked, receipts } = await ran(
      byModel,
      { topics: [topic("a")], turn: 21 },
      { messages, answer: `Here: ${answer}.` },
    )
    expect({
      asked: JSON.parse(JSON.stringify(asked).replaceAll(/x{20,}/g, (run) => `x*${run.length}`)),
      receipts,
      notes,
    }).toMatchSnapshot()
  })

  test("H1 by default it is what the call that judged the most important turn wrote, with that importance and without a call", async () => {
    const judgement = (turnId: string, value: object, kind = "importance") => ({ turnId, kind, value })
    const judged = [
      judgement("t0", { importance: 4, event: "She asked about bread." }),
      judgement("t1", { importance: 9, event: "Her cat died, and I stayed with her." }),
      judgement("t1", { importance: 10, event: "of another step" }, "profile"),
      judgement("t2", { importance: 9, event: "She went to bed." }),
    ]
    const events = async (own: readonly object[]) => {
      const { notes, asked } = await ran(byDefault, { topics: [topic("a")], turn: 21 }, { messages: said(3), judged: own })
      expect(asked).toEqual([])
      const [change] = (notes[0]?.payload.changes ?? []) as { events: EventRecord[]; ends: string }[]
      expect(change?.ends).toBe("a")
      return change?.events.map(({ text, importance }) => [text, importance])
    }
    expect(await events(judged)).toEqual([["Her cat died, and I stayed with her.", 9]])
    const blank = [judgement("t1", { importance: 6, event: " " }), judgement("t0", { importance: "6", event: "no number" })]
    expect(await events(blank), "written by rule, with the judgement").toEqual([["Bob said “ask 0. ask 1. ask 2”", 6]])
    expect(await events([]), "nothing was judged").toEqual([["Bob said “ask 0. ask 1. ask 2”", 2 + Math.log2(3)]])
    expect(await events(["t0", "t1", "t2"].map((id) => judgement(id, { importance: 0, event: "" })))).toEqual([])
  })

  test("H1 M15 turns that one call judged have each the importance of its own lines, also where a rule writes", async () => {
    const waits = (turnId: string) => ({ turnId, kind: "batch", value: { turn: 0 } })
    const keys = { "t0:0": { importance: 9 }, "t2:0": { words: ["bread"] } }
    const judged = [waits("t0"), waits("t1"), { turnId: "t2", kind: "importance", value: { importance: 3, keys } }]
    const messages = said(3).map((message, at) => ({ ...message, text: at % 2 === 0 ? `The cat number ${at} is ill.` : "Oh." }))
    const event = async (job: BackgroundJob, own: readonly object[]) => {
      const { notes } = await ran(job, { topics: [topic("a")], turn: 21 }, { messages, judged: own })
      const [change] = (notes[0]?.payload.changes ?? []) as { events: EventRecord[] }[]
      return change?.events.map(({ text, importance }) => [text, importance])
    }
    expect(await event(byRule, judged)).toEqual([["Bob said “The cat number 0 is ill.”", 9]])
    const forgot = judged.filter((one) => one.turnId !== "t1")
    expect(await event(byRule, forgot), "T61 one that forgot something stands between").toEqual([
      ["Bob said “The cat number 0 is ill. The cat number 2 is ill.”", 9],
    ])
    const told = judged.map((one) =>
      one.kind === "batch" ? one : { ...one, value: { ...one.value, event: "Her cats fell ill." } },
    )
    expect(await event(byDefault, told), "what the call wrote tells the batch").toEqual([["Her cats fell ill.", 9]])
  })

  test("a failure is thrown until the last attempt, which the rule does", async () => {
    const given = { messages: said(1), isLast: false }
    await expect(ran(byModel, { topics: [topic("a")], turn: 21 }, given)).rejects.toThrow("the server is down")
    const last = await ran(byModel, { topics: [topic("a")], turn: 21 }, { ...given, isLast: true })
    const rule = await ran(byRule, { topics: [topic("a")], turn: 21 }, given)
    expect(last.notes).toEqual(rule.notes)
    expect(last.receipts).toEqual([{ kind: "event", outcome: "failed", message: "the model failed; written by rule" }])
  })
})

describe("a roll-up of a period (R20)", () => {
  const day = 86_400_000
  const moment = (at: number, importance = 3) => {
    const atMs = startMs - 40 * day + at * day
    const stamp = new Date(atMs).toISOString().slice(0, 16)
    return newEvent(
      { id: `m${at}`, grain: "moment", stamp, startMs: atMs, endMs: atMs, text: `Event ${at} ${"y".repeat(80)}`, importance },
      { atMs, turn: at },
    )
  }
  const events = [
    ...Array.from({ length: 10 }, (_, at) => moment(at, at === 4 ? 9.5 : 3)),
    moment(10.2),
    moment(10.4),
    moment(10.1),
    moment(10.3),
  ]
  const current = { id: "t", fromMs: startMs, lastMs: startMs, turns: 1 }

  test("is enqueued for at most eight periods with what a rule tells of them", () => {
    const job = rollUpJob(settings({}))
    expect(job.afterTurn?.(committed({ events, topic: current }))).toMatchSnapshot()
    expect(job.afterTurn?.(committed({ events }))).toBeUndefined()
    expect(job.afterTurn?.(committed({ events, topic: current }, { memoryOn: false }))).toBeUndefined()
    expect(job.afterTurn?.(committed({ events, topic: current, rolledUpMs: Date.UTC(2026, 0, 31) }))).toBeUndefined()
    expect(job.afterTurn?.(committed({ events, topic: current, rolledUpMs: Date.UTC(2026, 0, 31) - 1 }))).toBeUndefined()
    const early = { ...committed({ events, topic: current, ended: [topic("a", 1, startMs - 38 * day)] }) }
    const due = job.afterTurn?.(early) as { rollUps: readonly { id: string }[] }
    expect(
      due.rollUps.map(({ id }) => id),
      "days before the topic that waits",
    ).toEqual(["day:20251222", "day:20251223"])
  })

  test.each(["rule", "model", "model-call"] as const)("by %s: one note for each period, with its children", async (writer) => {
    const job = rollUpJob(settings({ events: { writer } }))
    const due = job.afterTurn?.(committed({ events, topic: current })) as { rollUps: readonly object[] }
    const given = { answer: 'So: {"event": "A good\\nday", "importance": 8}' }
    const { asked, notes, receipts } = await ran(job, { rollUps: due.rollUps.slice(3, 5), turn: 22 }, given)
    expect({ asked, receipts, notes }).toMatchSnapshot()
  })
})

describe("a compressed answer (R12)", () => {
  const [byRule, byModel] = (["rule", "model"] as const).map((writer) =>
    compressJob(settings({ compression: { writer, targetCharacters: 20 } })),
  )
  const answered = (...texts: readonly string[]) =>
    committed({}, { messages: texts.map((text) => ({ ...said(1)[1], text }) as HistoryMessage) })

  test("follows a turn whose last answer is longer than the target", () => {
    expect(byRule?.afterTurn?.(answered("x".repeat(21), "x".repeat(20)))).toBeUndefined()
    expect(byRule?.afterTurn?.(answered("x".repeat(20), "y".repeat(21)))).toEqual({ turnId: "t", text: "y".repeat(21) })
    expect(byRule?.afterTurn?.({ ...answered("x".repeat(21)), memoryOn: false })).toBeUndefined()
    expect(byRule?.afterTurn?.(committed({}))).toBeUndefined()
  })

  test("is a note of the turn, by rule or in the model's words, cut to the target", async () => {
    const payload = { turnId: "t", text: "One thing. Then another. And the end." }
    const answer = `In short: ${"z".repeat(30)}`
    const outcomes = [await ran(byRule as BackgroundJob, payload), await ran(byModel as BackgroundJob, payload, { answer })]
    expect(outcomes).toMatchSnapshot()
  })
})
