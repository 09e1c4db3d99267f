import { expect, test } from "vitest"
import type { Injection } from "../../../../src/core/value.ts"
import { observeByModel } from "../../../../src/loop/agent/observers/watch-turns.ts"
import type { ObserverParts, WatchedTurn } from "../../../../src/loop/agent/observers/watched-turn.ts"

const long = "好".repeat(5_000)

/** What a model is shown of a turn whose texts are all too long, and what is read of its answer. */
async function observed(answer: string, limit?: (count: number) => void) {
  let shown: readonly Injection[] = []
  const parts = {
    name: "observer",
    ports: { clock: { nowMs: () => 0 } },
    putReceipt: async () => undefined,
    ask: async (_: string, injections: readonly Injection[]) => {
      shown = injections
      return { text: answer, model: "m" }
    },
  }
  const message = { role: "user", speaker: { id: "u", name: "Ann" }, text: long }
  const turn = {
    context: {
      signal: new AbortController().signal,
      messages: async (filter: { readonly limit: number }) => {
        limit?.(filter.limit)
        return [message, { ...message, role: "assistant", speaker: { id: "a", name: "Fay" }, text: "short" }]
      },
    },
    state: { workspace: [{ id: "w", text: long }], pulled: [{ id: "p", text: long }] },
    result: { records: [{ summary: " wrote\n a " }] },
  }
  const found = await observeByModel(parts as unknown as ObserverParts, turn as unknown as WatchedTurn)
  return { found, shown }
}

test("an observer's model is shown the last eight messages, and of long texts a beginning", async () => {
  const limits: number[] = []
  const { shown } = await observed("{}", (count) => void limits.push(count))
  const lengths = shown.map(({ key, content }) => [
    key,
    Math.max(
      ...JSON.stringify(content)
        .split('"')
        .map(({ length }) => length),
    ),
  ])
  expect(limits).toEqual([8])
  expect(lengths).toEqual([
    ["dialogue", 2_000],
    ["done", 7],
    ["workspace", 200],
    ["pulled", 200],
  ])
})

test("who wrote what it is shown decides how it is encoded", async () => {
  const { shown } = await observed("{}")
  const writers = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (name, one: unknown) => (name === "text" && typeof one === "string" ? one.slice(0, 5) : one)),
    )
  expect(shown.map(({ key, trust, content }) => ({ key, trust, content: writers(content) }))).toEqual([
    {
      key: "dialogue",
      trust: "user",
      content: [
        { speaker: { text: "Ann", trust: "user" }, text: { text: "好好好好好", trust: "user" } },
        { speaker: { text: "Fay", trust: "user" }, text: { text: "short", trust: "agent" } },
      ],
    },
    { key: "done", trust: "tool", content: { text: "wrote", trust: "tool" } },
    {
      key: "workspace",
      trust: "memory",
      content: [{ id: { text: "w", trust: "memory" }, text: { text: "好好好好好", trust: "memory" } }],
    },
    {
      key: "pulled",
      trust: "memory",
      content: [{ id: { text: "p", trust: "memory" }, text: { text: "好好好好好", trust: "memory" } }],
    },
  ])
})

test("of its answer five events of at most 500 characters are kept, and a note of at most 1,000", async () => {
  const events = Array.from({ length: 7 }, (_, at) => ({
    event: at === 0 ? long : ` event\n${at} `,
    importance: at === 1 ? "high" : at,
  }))
  const { found } = await observed(`Sure: ${JSON.stringify({ events, collect: ["w", "x", 5], note: long })}.`)
  expect(found?.events.map(({ importance }) => importance)).toEqual([0, 3, 2, 3, 4])
  expect(found?.events.map(({ text }) => text).slice(1)).toEqual(["event 1", "event 2", "event 3", "event 4"])
  expect(found?.events[0]?.text).toHaveLength(500)
  expect(found?.note).toHaveLength(1_000)
  expect(found?.garbage).toEqual({ workspace: ["w"], pulled: [] })
})

test.each(["", "{", "[]", "null", "no"])("an answer that cannot be read finds nothing: %j", async (answer) => {
  expect((await observed(answer)).found).toBeUndefined()
})
