import { expect, test } from "vitest"
import type { HistoryMessage, ServiceKey, SessionKey } from "../../../src/core/conversation.ts"
import { messageOf, PromptStrataError } from "../../../src/core/errors.ts"
import { isRecord } from "../../../src/core/json-access.ts"
import type { SlotValue } from "../../../src/core/value.ts"
import type { CommittedTurn, JobContext } from "../../../src/memory/services/background/background-job.ts"
import { createReflectionService } from "../../../src/memory/services/background/create-reflection-service.ts"
import type { DocumentMemory, LearnedEdits } from "../../../src/memory/services/background/document-memory.ts"
import { createMemoryJob } from "../../../src/memory/services/background/memory-job.ts"
import type { MemoryJobOptions } from "../../../src/memory/services/background/memory-job-options.ts"
import type { ReflectionTriggers } from "../../../src/memory/services/background/reflection.ts"
import { createUserProfileService } from "../../../src/memory/services/create-user-profile-service.ts"
import { createMemoryService } from "../../../src/memory/services/memory/create-memory-service.ts"
import type { EmbeddingModel } from "../../../src/memory/services/memory/memory-service.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { fewLines, shortRuns } from "../../support/short-runs.ts"

const startMs = Date.UTC(2026, 2, 4, 23, 30)
const minuteMs = 60_000
const people = { ann: { id: "ann", name: "Ann" }, bob: { id: "bob", name: "Bob" }, fay: { id: "fay", name: "Fay" } } as const

/** One thing that happens: a turn, with its job; words that were only heard; or a moment of the schedule. */
type Step =
  | ({ readonly say: string | null; readonly answer?: string; readonly isLast?: boolean } & Partial<
      Pick<CommittedTurn, "untrusted" | "forgot" | "recalled" | "memorySinceMs" | "memoryOn">
    >)
  | { readonly heard: readonly string[]; readonly by: keyof typeof people; readonly sameMoment?: boolean }
  | { readonly scheduled: number }
  | { readonly again: true; readonly isLast?: boolean }

interface Scene {
  readonly settings?: Partial<MemoryJobOptions["settings"]>
  readonly audience?: SessionKey["audience"]
  readonly reflect?: ReflectionTriggers
  /** Answers by prompt, taken in turn; the last one stays. An error is thrown. */
  readonly answers?: Readonly<Record<string, readonly (string | Error)[]>>
  readonly without?: readonly ("memory" | "userProfile")[]
  readonly documents?: Partial<LearnedEdits> & {
    readonly crowded?: readonly string[]
    readonly tidied?: "changed" | "waits" | "stale"
  }
  readonly embeds?: boolean
  /** The number of calls that the user's day has room for. */
  readonly mostCalls?: number
  /** Conflicts of the profile's version before a write of it succeeds. */
  readonly conflicts?: number
  readonly steps: readonly Step[]
}

const usual: Scene["answers"] = {
  importance: ["7"],
  "user-profile": ["{}"],
  reflection: ["[]"],
  "importance-and-profile": ["7"],
  learn: ["7"],
  tidy: ["[]"],
}
const settings = { importanceThreshold: 5, batchTurns: 1, reflectOn: 4, stepMs: 1_000, keys: false, profileCharacters: 99 }

/** Lets a scene happen, and writes down all that the job asked, told and kept. */
async function transcript(scene: Scene): Promise<string> {
  const lines: string[] = []
  const written = (kind: string, value: unknown) => {
    const text = JSON.stringify(value).replaceAll(/\b177\d{10}\b/g, (atMs) => `+${Number(atMs) - startMs}`)
    return `${kind} ${shortRuns(text)}`
  }
  const note = (kind: string, value: unknown) => void lines.push(written(kind, value))
  const clock = manualClock(startMs)
  const store = createInMemoryStore()
  const sessionKey = { agent: "fay", conversation: "talk", audience: scene.audience ?? "private" } as const
  const key: ServiceKey = { ...sessionKey, user: "ann" }
  const left = new Map(Object.entries({ ...usual, ...scene.answers }).map(([prompt, answers]) => [prompt, [...answers]]))
  let calls = 0
  const ask: JobContext["ask"] = async (prompt, data) => {
    if (calls++ >= (scene.mostCalls ?? 99))
      throw new PromptStrataError("spending-limit", "The day is used up.", {
        evidence: { limit: "dailyTokens", most: 9, used: 9, model: "m" },
      })
    note("asked", { prompt, ...Object.fromEntries(data.map(({ key, trust, content }) => [`${key} (${trust})`, shown(content)])) })
    const answers = left.get(prompt) ?? []
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    clock.advance(3)
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error(`no answer to ${prompt}`)
    return { text: answer, model: "m", usage: { inputTokens: 5, outputTokens: 2 }, assembly: { cut: {} } as never }
  }
  const userProfile = createUserProfileService({ records: store.users })
  const reflection = scene.reflect && createReflectionService({ ask, records: store.memories, clock, ...scene.reflect })
  const embed: EmbeddingModel = {
    id: "e",
    embed: async (texts) => {
      note("embedded", texts)
      return texts.map(() => [1, 0])
    },
  }
  let conflicts = scene.conflicts ?? 0
  const services: Pick<MemoryJobOptions, "memory" | "userProfile"> = {
    memory: createMemoryService({ records: store.memories, clock, ...(scene.embeds && { embed }) }),
    userProfile: {
      get: (of) => userProfile.get(of),
      async put(...given) {
        if (conflicts-- > 0) throw new PromptStrataError("version-conflict", "somebody was faster", {} as never)
        return userProfile.put(...given)
      },
    },
  }
  const job = createMemoryJob({
    ...Object.fromEntries(Object.entries(services).filter(([name]) => !scene.without?.includes(name as "memory"))),
    settings: { ...settings, ...scene.settings },
    agentName: "Fay",
    reflection,
    documents: scene.documents && documentsOf(scene.documents, note),
    receipts: store.receipts,
    ports: { clock, timers: manualTimers(clock) },
  })
  const context = (isLast: boolean): JobContext => ({
    attempt: 1,
    isLast,
    signal: new AbortController().signal,
    ports: {} as JobContext["ports"],
    ask,
    post: async () => true,
    messages: (filter) => store.messages(sessionKey, filter),
    receipt: (receipt) =>
      store.receipts.put({ key, turnId, attempt: 1, startedMs: clock.nowMs(), durationMs: 0, ...receipt }, { ofTurn: true }),
  })
  let [turn, turnId, payload]: [number, string, Readonly<Record<string, unknown>>] = [0, "", {}]
  for (const [at, step] of scene.steps.entries()) {
    if (!("sameMoment" in step)) clock.advance(minuteMs)
    const atMs = clock.nowMs()
    if ("heard" in step) {
      const words = step.heard.map((text, at): HistoryMessage => {
        return { role: "user", text, speaker: people[step.by], turnId: `h${atMs}-${at}`, atMs, unanswered: true }
      })
      await store.append(sessionKey, words)
      continue
    }
    if ("say" in step) {
      const { say, answer = "I see, that is good.", isLast, ...more } = step
      turnId = `t${turn}`
      const said = say === null ? [] : [{ role: "user" as const, text: say, speaker: people.ann, turnId, atMs }]
      const messages: HistoryMessage[] = [
        ...said,
        { role: "assistant", text: answer, speaker: people.fay, turnId, atMs: atMs + 1 },
      ]
      await store.commit(sessionKey, { expectVersion: turn, append: messages, state: {}, jobs: [] })
      const committed = { key, turnId, turn, speaker: people.ann, memoryOn: true, messages, untrusted: false, hookStates: {} }
      const made = job.afterTurn?.({ ...committed, ...more })
      note(`\n${turnId}`, made ?? "no job")
      turn++
      if (made === undefined) continue
      payload = made
    } else if ("again" in step) note(`\n${turnId} again`, payload)
    else {
      clock.advance(step.scheduled - clock.nowMs())
      payload = { ...payload, scheduledMs: step.scheduled }
      note(`\n${turnId} on schedule`, payload)
    }
    const isLast = (at === scene.steps.length - 1 && !("again" in step)) || ("isLast" in step && step.isLast === true)
    await job
      .run({ id: `j${turn}`, kind: "memory", key, turnId, atMs: clock.nowMs(), payload }, context(isLast))
      .catch((error) => {
        const { hint } = error as { hint?: string }
        note("failed", [messageOf(error), hint])
      })
    for (const { key: _, turnId: of, ...receipt } of await store.receipts.ofTurn(turnId, key)) note(of, receipt)
  }
  lines.push("")
  // A group's key sees what all have said, a private one what its own user has.
  for (const user of scene.audience === "group" ? ["ann"] : ["ann", "bob"]) {
    const memories = await store.memories.recent({ ...key, user }, { limit: 99 })
    const kept = memories.map(({ agent: _agent, conversation: _talk, audience: _audience, ...memory }) => written("kept", memory))
    lines.push(...fewLines(kept))
  }
  for (const { conversation: _talk, audience: _audience, ...statement } of (await store.users.load(key)).statements)
    note("states", statement)
  return lines.join("\n").trim()
}

/** The content of an injection; of each entry of a list its texts on one line, each with its trust. */
function shown(content: SlotValue): unknown {
  if (!Array.isArray(content)) return content
  const lines = content.map((entry: Readonly<Record<string, unknown>>) => {
    const texts = Object.values(entry).map((one) => (isRecord(one) ? `${one.text} (${one.trust})` : one))
    return texts.join(" | ")
  })
  return fewLines(lines)
}

/** Documents that hold nothing and write down what they are given. */
function documentsOf(given: NonNullable<Scene["documents"]>, note: (kind: string, value: unknown) => void): DocumentMemory {
  const { crowded, tidied = "changed", ...edits } = given
  return {
    attach: () => undefined,
    text: async (document) => ` the ${document} document\n`,
    async write(lines, _, { by, expectWanted }) {
      await expectWanted()
      for (const line of lines) note("document line", line)
      note("written by", by)
      return { edits: ["MEMORY.md edit 1"], written: lines.length, known: 0, full: [], left: 0, ...edits }
    },
    crowded: async () => crowded && { path: "MEMORY.md", lines: crowded.map((text) => ({ written: `- ${text}`, text })) },
    async tidy(_, merges, { by, expectWanted }) {
      await expectWanted()
      note("tidied", { merges, by })
      return { status: tidied, edit: tidied === "changed" ? "MEMORY.md edit 2" : undefined }
    },
  }
}

const moved: Step = { say: "I moved to Paris" }
const few = (count: number, text = "word") => Array.from({ length: count }, (_, at) => `${text} ${at}`)
const overloaded = new Error("overloaded")
const home = '{"importance": 8, "keys": {"1": {"words": ["city"], "subject": "Ann", "relation": "home"}, "2": ["kind"]}}'

const scenes: Readonly<Record<string, Scene>> = {
  "Just important enough, with a profile": {
    answers: {
      importance: ["5"],
      "user-profile": [
        '{"city": {"value": "Paris", "confidence": 0.9}, "cat": "Miso", "work": {"place": "home", "days": [1, 2]}, "x": ""}',
      ],
    },
    steps: [
      moved,
      { say: "嗯", answer: "好" },
      { say: "Uhh", answer: "Yup" },
      { say: "Tea", answer: "Sure" },
      { say: "Ok 5", answer: "Fay: Yup" },
      { say: "OKKK", answer: "Fay：Sure" },
      { say: "hmmm!", answer: "Bob: Yup" },
    ],
  },
  "Not important enough": { answers: { importance: ["4.9"] }, steps: [moved] },
  "Without a memory": { without: ["memory"], answers: { "user-profile": ['{"city": "Paris"}'] }, steps: [moved] },
  "Without a profile": { without: ["userProfile"], steps: [moved] },
  "Memory off, nobody's words, a wake": {
    steps: [
      { ...moved, memoryOn: false },
      { say: " ", answer: "" },
      { say: null, answer: "It is eight o'clock." },
    ],
  },
  "Untrusted output, long words and used memories": {
    answers: { "user-profile": ['{"city": {"value": "Paris", "confidence": 0.9}, "cat": {"value": "Miso", "confidence": 0.2}}'] },
    steps: [moved, { say: `${"x".repeat(16_384)}y`, untrusted: true, recalled: ["t0:0", "none"] }],
  },
  "Keys, which are the words' own, and a fact that is told anew": {
    settings: { keys: true, timeZone: "Asia/Shanghai" },
    answers: { importance: [home] },
    steps: [moved, { heard: ["Ann is away"], by: "bob" }, { say: "I moved to Rome", answer: "Again!" }],
  },
  "Keys that are asked for and not given": {
    settings: { keys: true },
    answers: { importance: ["7", '{"importance": 8, "keys": {}}'] },
    steps: [moved, { say: "To Rome now" }],
  },
  "Keys and profile fields that nobody asked for": {
    answers: {
      importance: ['{"importance": 8, "keys": {"1": {"words": ["city"]}}, "profile": {"city": "Oslo"}}', "keys: 3, importance 7"],
      "user-profile": ['{"city": "Paris"}'],
    },
    steps: [moved, { say: "To Rome now" }],
  },
  "Turns that are judged together": {
    settings: { batchTurns: 3 },
    answers: { "importance-and-profile": ['{"importance": 8, "profile": {"city": "Rome"}}'] },
    steps: [
      moved,
      { ...moved, untrusted: true },
      { heard: ["and I like it", " "], by: "ann" },
      { heard: ["So do I"], by: "bob" },
      { say: "I moved to Rome" },
      { say: "Then to Oslo" },
    ],
  },
  "Turns that are judged together, of which one forgot something": {
    settings: { batchTurns: 2 },
    steps: [moved, { say: "Forget the cat", forgot: true }, { say: "Go on with it" }],
  },
  "A turn alone that forgot something": { steps: [{ say: "Forget the cat", forgot: true }] },
  "A group judges each turn, with what it heard": {
    audience: "group",
    settings: { batchTurns: 3 },
    answers: { "user-profile": ['{"city": "Paris"}'] },
    steps: [
      { heard: ["before the memory was on"], by: "bob" },
      { heard: ["at that very moment"], by: "bob" },
      { heard: ["Hello all"], by: "bob" },
      { heard: ["Hello Bob"], by: "ann" },
      { say: "I moved to Paris", memorySinceMs: startMs + 2 * minuteMs },
      { heard: ["while it was stored"], by: "bob", sameMoment: true },
      { say: "And I like it" },
    ],
  },
  "Of much that was heard the newest": {
    audience: "group",
    steps: [
      { heard: few(52), by: "bob" },
      moved,
      { heard: ["a".repeat(3_999), "b".repeat(4_000), "c".repeat(4_000)], by: "bob" },
      moved,
    ],
  },
  "A day's limit": { mostCalls: 3, steps: [moved, moved, moved] },
  "An answer that cannot be read, twice": {
    answers: { importance: ["none"], "user-profile": ["none", "[]"] },
    steps: [moved, { again: true }, { again: true }],
  },
  "A step that fails until the last attempt": {
    answers: { importance: [overloaded, overloaded, "6"], "user-profile": [overloaded, '{"city": "Paris"}'] },
    steps: [moved, { again: true, isLast: true }, { again: true }],
  },
  "A profile that others change eight times": { conflicts: 8, answers: { "user-profile": ['{"a": "1"}'] }, steps: [moved] },
  "A profile that others change nine times": { conflicts: 9, answers: { "user-profile": ['{"a": "1"}'] }, steps: [moved] },
  "Reflections, which read what is new and rest on what they name": {
    reflect: { every: 4 },
    answers: {
      importance: ["5", "9", "6"],
      reflection: ['[{"insight": "likes moving", "memories": ["2", "3", "9"]}, {"insight": " "}, "is away"]'],
    },
    steps: [moved, { say: "To Rome now", untrusted: true }, { say: "And to Oslo" }, { say: "And to Bern" }],
  },
  "A reflection that the limit forbids": { reflect: { every: 1 }, mostCalls: 2, steps: [moved] },
  "A reflection that fails, and is tried again": {
    reflect: { every: 1 },
    embeds: true,
    answers: { reflection: [overloaded, '["likes moving"]'] },
    steps: [moved, { again: true }],
  },
  "A reflection on schedule": {
    reflect: { every: 0, nextRunMs: (afterMs) => afterMs + 20 * minuteMs },
    documents: {},
    answers: { reflection: ['["likes moving", "likes Paris"]'] },
    steps: [{ ...moved, untrusted: true }, { scheduled: Date.UTC(2026, 2, 5) }, { scheduled: Date.UTC(2026, 2, 6) }],
  },
  "Documents with notes, facts and insights": {
    reflect: { every: 1 },
    documents: {
      known: 2,
      left: 3,
      full: ["MEMORY.md", "USER.md"],
      crowded: ["Ann likes green tea", "Ann likes black tea", "Bob swims"],
    },
    answers: {
      learn: ['{"importance": 8, "notes": ["moved", " ", 3, "b", "c", "d", "e", "f"], "profile": {"city": "Paris"}}'],
      reflection: ['["likes moving"]'],
      tidy: ['[{"lines": [1, 2], "text": "Ann likes green tea, black tea"}, {"lines": [2, 3], "text": "x"}]'],
    },
    steps: [moved],
  },
  "Documents of a group, with one note, with no list of notes, and with nothing": {
    audience: "group",
    settings: { timeZone: "Asia/Shanghai" },
    documents: { written: 1, edits: [], crowded: ["a", "b"], tidied: "waits" },
    answers: {
      learn: ['{"importance": 8, "notes": "one"}', "8", "4"],
      "user-profile": ['{"city": "Paris"}', "{}"],
      tidy: ["none", "[]"],
    },
    steps: [{ heard: ["Hello all"], by: "bob" }, moved, { say: "It rains here", untrusted: true }, { say: "Nothing new" }],
  },
  "Documents that changed meanwhile, and a call that says nothing": {
    documents: { written: 0, crowded: ["Ann likes green tea", "Ann likes black tea"], tidied: "stale" },
    answers: { learn: ["8", "none"], tidy: ['[{"lines": [1, 2], "text": "Ann likes green tea, black tea"}]'] },
    steps: [moved, moved],
  },
  "Documents under a limit": { documents: { crowded: ["a", "b"] }, mostCalls: 2, steps: [moved, moved] },
}

test("T31 T33 T34: what the work after a turn asks, tells and keeps", async () => {
  const told: string[] = []
  for (const [name, scene] of Object.entries(scenes)) told.push(`## ${name}\n\n${await transcript(scene)}\n`)
  expect(told.join("\n")).toMatchSnapshot()
})
