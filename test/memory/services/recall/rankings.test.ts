import { expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { RecallIndex } from "../../../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument, RecallQuery } from "../../../../src/memory/services/recall/recall-query.ts"
import { diceOf } from "../../../support/dice.ts"
import { dayMs, memory, nowMs } from "./documents.ts"

const [minuteMs, hourMs] = [60_000, 3_600_000]
const people = {
  ann: { id: "ann", name: "Ann Lee" },
  bob: { id: "bob", name: "Bob" },
  will: { id: "w", name: "Will" },
  王: { id: "wang", name: "王小明" },
} as const

/** Lines of one talk, a minute apart unless a pause in minutes stands before one. */
function talk(
  session: string,
  daysAgo: number,
  lines: readonly (readonly [keyof typeof people, string, pauseMinutes?: number])[],
): RecallDocument[] {
  let atMs = nowMs - daysAgo * dayMs
  return lines.map(([speaker, text, pause = 1], turn) => {
    atMs += pause * minuteMs
    return memory(`${session}${turn}`, text, { atMs, speaker: people[speaker], session, turn })
  })
}

const talks: readonly RecallDocument[] = [
  ...talk("a", 40, [
    ["ann", "My marriage was in spring 2019, at the lake."],
    ["bob", "How lovely! Did you dance?"],
    ["ann", "All night, and my mum sang."],
    ["bob", "I never dance."],
    ["bob", "My sister does, in a club called Blue Moon."],
    ["ann", "We should go to the museum on Friday.", 241],
    ["bob", "Which museum do you mean?"],
    ["ann", "The railway one, it costs 12 euros."],
  ]),
  ...talk("b", 3, [
    ["will", "Yesterday I bought a bicycle for 300 euros."],
    ["ann", "Which colour?", 239],
    ["will", "Blue."],
    ["ann", "I will ride with you.", 2],
    ["will", "On Sunday then?"],
    ["ann", "Yes!"],
  ]),
  ...talk("c", 10, [
    ["王", "昨天我在图书馆看书，外面下雨了。"],
    ["ann", "你看的什么书？"],
    ["王", "一本关于火车的书，三百页。"],
    ["ann", "我喜欢火车。"],
    ["王", "我们去坐火车吧。"],
  ]),
  memory("paris", "I live in Paris.", {
    atMs: nowMs - 300 * dayMs,
    stability: 20,
    recalledAtMs: nowMs - 5 * dayMs,
    importance: 9,
  }),
  memory("madrid", "We moved to Madrid.", { atMs: nowMs - 100 * dayMs, updates: ["paris"], keys: { words: ["city", "home"] } }),
  memory("oslo", "Then to Oslo.", {
    atMs: nowMs - 20 * dayMs,
    updates: ["madrid", "paris", "gone"],
    keys: { words: ["city", "搬家"], dates: ["2024-04-20"] },
  }),
  memory("tea", "I like green tea.", { atMs: nowMs - 90 * dayMs, againAtMs: [nowMs - 60 * dayMs, nowMs - dayMs] }),
  memory("tea2", "Black tea keeps me awake.", { atMs: nowMs - 30 * dayMs, importance: 0 }),
  memory("cpp", "I write C++ and c# for ticket inv-2024-17 👍", { atMs: nowMs - 2 * hourMs, importance: 10 }),
]

const vectors: Readonly<Record<string, readonly number[]>> = {
  paris: [1, 0],
  madrid: [0.9, 0.1],
  tea: [0, 1],
  a0: [0.5, 0.5],
  c2: [-1, 0],
  cpp: [0, 0],
}
const withVectors = talks.map((document) => {
  const values = vectors[document.id]
  return values
    ? { ...document, vector: { model: document.id === "a0" ? "n" : "m", values: Float32Array.from(values) } }
    : document
})

const vector = { model: "m", values: Float32Array.from([1, 0.2]) }
type Asked = readonly [text: string, rest?: Partial<RecallQuery>]
const questions: readonly Asked[] = [
  ["When did Ann marry?"],
  ["who was at the wedding, did mom sing?"],
  ["dance"],
  ["danse in a clubb"],
  ["Does Bob dance?"],
  ["what did I say about the museum", { askedBy: "ann", askedOf: "bob" }],
  ["what did you say about the museum", { askedBy: "ann", askedOf: "bob" }],
  ["What did Will buy?"],
  ["will it rain"],
  ["How much was the bike"],
  ['"the railway one"'],
  ['"railway the" museum “blue moon”'],
  ["what happened four days ago"],
  ["what happened four days ago", { timeZone: "Pacific/Kiritimati" }],
  ["on a friday"],
  ["in spring 2019"],
  ["last month"],
  ["最近下雨"],
  ["火车"],
  ["王小明看的什么书"],
  ["小明", {}],
  ["Where do I live now?"],
  ["Where did I live before?"],
  ["which city"],
  ["Where did I live at first?"],
  ["搬家"],
  ["tea"],
  ["the latest about tea"],
  ["the first about tea"],
  ["tea", { leastScore: 0.9 }],
  ["tea", { limit: 1 }],
  ["tea", { limit: 0 }],
  ["tea and a museum", { weights: { recency: 1, importance: 0 } }],
  ["tea and a museum", { weights: { words: 0, grams: 0 } }],
  ["inv-2024-17"],
  ["c++"],
  ["👍"],
  ["the and of"],
  ["", { limit: 4 }],
  ["?!"],
  ["tea tea tea museum"],
  ["home in Paris", { vector }],
  ["something else", { vector }],
  ["green", { vector, weights: { vector: 2 } }],
  ["something else", { vector: { model: "m", values: Float32Array.from([0, 0]) } }],
  ["tea", { vectorRanking: ["a0", "none", "tea2", "a0"] }],
  ["unknown words", { vectorRanking: ["a0", "b0", "c0"] }],
  ["unknown words", { vectorRanking: [] }],
]

/** A larger index, in which some words are common and some are rare. */
function crowd(): RecallIndex {
  const dice = diceOf(mulberry32(81))
  const index = new RecallIndex()
  const common = "tea bread garden bicycle work rain music friend".split(" ")
  for (let at = 0; at < 400; at++) {
    const words = Array.from({ length: 1 + dice.below(9) }, () =>
      dice.chance(0.1) ? `rare${dice.below(60)}` : dice.pick(...common),
    )
    const speaker = dice.pick(...Object.values(people).slice(0, 2))
    const atMs = nowMs - (500 - at) * hourMs
    index.replace(
      memory(`d${at}`, `${words.join(" ")}${dice.chance(0.2) ? "?" : "."}`, {
        atMs,
        speaker,
        session: `s${at >> 4}`,
        turn: at,
        importance: at % 11,
      }),
    )
  }
  for (let at = 0; at < 400; at += 7) index.remove(`d${at}`)
  return index
}

const rounded = (value: number) => String(Number(value.toPrecision(4)))

/** Each hit with its score and, of each reason, the value and the share. */
function shown(index: RecallIndex, [text, rest = {}]: Asked): string {
  const { vector: given, ...more } = rest
  const asked = [
    JSON.stringify(text),
    ...(given ? [`near ${[...given.values]}`] : []),
    ...(Object.keys(more).length > 0 ? [JSON.stringify(more)] : []),
  ]
  const hits = index.rank({ text, nowMs, limit: 5, ...rest }).map(({ id, score, why }) => {
    const reasons = why.map(({ signal, value, share }) => `${signal} ${rounded(value)} (${Math.round(share * 1000) / 10} %)`)
    return `  ${id} ${rounded(score)}: ${reasons.join(", ")}`
  })
  return [asked.join(" "), ...hits].join("\n")
}

test("questions rank these memories, with these reasons", async () => {
  const index = new RecallIndex()
  for (const document of withVectors) index.replace(document)
  const told = questions.map((question) => shown(index, question))
  const asked: readonly Asked[] = [
    ["rare3"],
    ["rare3 tea"],
    ["tea bread rain"],
    ["Ann, rare1 rare2 rare4 rare5"],
    ["bob's music"],
    ["rare", {}],
  ]
  const many = crowd()
  const lines = withVectors.map(
    ({ id, text, speaker, atMs }) => `${id} ${new Date(atMs).toISOString().slice(0, 16)} ${speaker.name}: ${text}`,
  )
  const whole = [
    "# Memories",
    ...lines,
    "",
    "# Questions",
    ...told,
    "",
    "# Among many",
    ...asked.map((question) => shown(many, question)),
    "",
  ]
  await expect(whole.join("\n")).toMatchFileSnapshot("__snapshots__/rankings.md")
})
