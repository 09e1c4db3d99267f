import { expect, test } from "vitest"
import { readTopics } from "../../../../src/memory/forgetting/plugin/jobs/written-event.ts"
import { readImportance } from "../../../../src/memory/services/background/importance-step.ts"
import { readKeys } from "../../../../src/memory/services/background/memory-keys.ts"
import { readProfileFields } from "../../../../src/memory/services/background/profile-step.ts"
import { readInsights } from "../../../../src/memory/services/background/reflection.ts"

const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const nested = (depth: number): unknown => (depth === 0 ? "here" : { in: nested(depth - 1) })
const parts = (depth: number): unknown => ({ event: "e", parts: depth === 0 ? [] : [parts(depth - 1)] })
const depthOf = (topics: ReturnType<typeof readTopics>): number =>
  Math.max(0, ...(topics ?? []).map((topic) => 1 + depthOf(topic.parts)))

const keysOf = (item: unknown) => readKeys(JSON.stringify({ keys: [item] }), ["a text"], "m")[0]
const fieldsOf = (answer: unknown) => readProfileFields(JSON.stringify(answer)) ?? []
const insightsOf = (answer: unknown) => readInsights(JSON.stringify(answer)) ?? []
const topicsOf = (answer: unknown) => readTopics(JSON.stringify(answer))

/** What is read of an answer with so many of something. */
const amounts: Readonly<Record<string, (count: number) => number>> = {
  "fields of a profile": (count) => fieldsOf(Object.fromEntries(times(count, (at) => [`f${at}`, "x"]))).length,
  "characters of a field's name": (count) => fieldsOf({ ["n".repeat(count)]: "x" })[0]?.name.length ?? 0,
  "characters of a field's value": (count) => fieldsOf({ name: "v".repeat(count) })[0]?.value?.length ?? 0,
  "levels of a field": (count) => (fieldsOf(nested(count)).length === 0 ? 0 : count),
  insights: (count) => insightsOf(times(count, (at) => `insight ${at}`)).length,
  "characters of an insight": (count) => insightsOf(["i".repeat(count)])[0]?.text.length ?? 0,
  "keys of a memory": (count) => keysOf({ words: times(count, (at) => `word ${at}`) })?.words?.length ?? 0,
  "characters of a key": (count) => keysOf({ words: ["w".repeat(count)] })?.words?.[0]?.length ?? 0,
  "characters of a fact's subject": (count) => keysOf({ subject: "s".repeat(count), relation: "r" })?.subject?.length ?? 0,
  "days of a memory": (count) =>
    keysOf({ dates: times(count, (at) => `2026-01-${String(at + 1).padStart(2, "0")}`) })?.dates?.length ?? 0,
  topics: (count) => topicsOf(times(count, (at) => ({ event: `event ${at}` })))?.length ?? 0,
  "characters of a topic": (count) => topicsOf([{ event: "e".repeat(count) }])?.[0]?.text.length ?? 0,
  "levels of a topic": (count) => depthOf(topicsOf([parts(count)])),
  "characters before an importance": (count) => (readImportance(`${"x".repeat(count)}7`) === 7 ? count : 0),
}

test("how much of a long answer is read, and what happens to one more", () => {
  const counts = [...times(70, (at) => at), 119, 120, 121, 199, 200, 201, 499, 500, 501, 999, 1_000, 1_001, 3_999, 4_000]
  const told = Object.entries(amounts).map(([name, read]) => {
    const seen = counts
      .filter((count) => count < 31 || !/^(?:days|levels)/.test(name))
      .map((count) => [count, read(count)] as const)
    const most = Math.max(...seen.map(([, amount]) => amount))
    const [, behind = 0] = seen.find(([count]) => count > most) ?? []
    return `${name}: ${most}, of one more ${behind}`
  })
  expect(`\n${told.join("\n")}\n`).toMatchInlineSnapshot(`
    "
    fields of a profile: 24, of one more 24
    characters of a field's name: 60, of one more 60
    characters of a field's value: 500, of one more 500
    levels of a field: 4, of one more 0
    insights: 5, of one more 5
    characters of an insight: 1000, of one more 1000
    keys of a memory: 6, of one more 6
    characters of a key: 40, of one more 0
    characters of a fact's subject: 60, of one more 0
    days of a memory: 4, of one more 4
    topics: 12, of one more 12
    characters of a topic: 500, of one more 500
    levels of a topic: 4, of one more 4
    characters before an importance: 3999, of one more 0
    "
  `)
})
