import { expect, test } from "vitest"
import type { RecallQuery } from "../../../../src/memory/services/recall/recall-query.ts"
import { dayMs, indexOf, memory, nowMs } from "./documents.ts"

const ann = { id: "ann", name: "Ann" }
const bob = { id: "bob", name: "Bob Miller" }
const at = (daysAgo: number, minutes = 0): number => nowMs - daysAgo * dayMs + minutes * 60_000
const vector = (...values: readonly number[]) => ({ model: "m", values: new Float32Array(values) })

const documents = [
  memory("bike", "I bought a bicycle for my children in Lisbon.", { session: "s", turn: 1, speaker: ann, atMs: at(10) }),
  memory("cost?", "How much did the bicycle cost?", { session: "s", turn: 2, speaker: bob, atMs: at(10, 1) }),
  memory("euros", "Two hundred euros.", { session: "s", turn: 3, speaker: ann, atMs: at(10, 2) }),
  memory("beach", "We rode to the beach.", { session: "s", turn: 4, speaker: ann, atMs: at(10, 3), importance: 9 }),
  memory("ran", "Last Friday I ran ten miles.", {
    session: "t",
    turn: 1,
    speaker: bob,
    atMs: at(3),
    importance: 2,
    stability: 4,
  }),
  memory("chapel", "The architect was in a small chapel.", { session: "t", turn: 2, speaker: bob, atMs: at(3, 400) }),
  memory("头发", "她的头发很长，我们在图书馆见面。", { session: "u", turn: 1, speaker: bob, atMs: at(40), recalledAtMs: at(2) }),
  memory("关门", "图书馆昨天关门了。", { session: "u", turn: 2, speaker: ann, atMs: at(39) }),
  memory("dogs", "A photograph of the small dog, and of the big dog.", { session: "v", turn: 1, speaker: ann, atMs: at(200) }),
  memory("fine", "The weather was fine.", { session: "v", turn: 2, speaker: bob, atMs: at(1), vector: vector(1, 0) }),
  memory("ride", "In May we rode again.", { session: "x", turn: 1, speaker: ann, atMs: at(20) }),
  memory("rain", "Clouds all day.", { session: "w", turn: 1, speaker: bob, atMs: at(1), vector: vector(0.6, 0.8) }),
]

const queries: readonly (Pick<RecallQuery, "text"> & Partial<RecallQuery>)[] = [
  { text: "bicycles for kids" },
  { text: "What did Bob Miller run?" },
  { text: "Bob Miller" },
  { text: '"small chapel" architecture' },
  { text: "When were we at the beach?" },
  { text: "图书馆在哪里见面" },
  { text: "what happened last friday" },
  { text: "the newest dog fotograph" },
  { text: "How many euros did it cost?", askedBy: "ann" },
  { text: "weather yesterday in may", limit: 2 },
  { text: "the sky", vector: vector(0.8, 0.6) },
  { text: "rode in may" },
  { text: "who runs every friday" },
  { text: '"small chap"' },
  { text: '"在图书馆"' },
  { text: " " },
]

test.each(queries.map((query) => [query.text, query] as const))(
  "all signals make the scores they made before: %j",
  (_, query) => {
    const hits = indexOf(documents).rank({ nowMs, limit: 3, ...query })
    const rounded = (value: number): number => Number(value.toPrecision(5))
    const lines = hits.map(
      ({ id, score, why }) =>
        `${id} ${rounded(score)}: ${why.map(({ signal, value, share }) => `${signal} ${rounded(value)} (${rounded(share)})`).join(", ")}`,
    )
    expect(lines).toMatchSnapshot()
  },
)

test("a memory has the same hits, scores and reasons at every place of the index, first and last too", () => {
  const ways = documents.flatMap((_, at) => {
    const turned = [...documents.slice(at), ...documents.slice(0, at)]
    return [turned, turned.toReversed()]
  })
  for (const query of queries) {
    const asked = { nowMs, limit: 12, ...query }
    const hits = indexOf(documents).rank(asked)
    for (const way of ways) expect(indexOf(way).rank(asked), `${query.text}, ${way[0]?.id} first`).toEqual(hits)
  }
})
