import { afterEach, describe, expect, test, vi } from "vitest"
import { changedTurns } from "../../../../src/apps/server/inspector/api.ts"
import { align } from "../../../../src/apps/server/inspector/compare/align.ts"
import { diffTexts } from "../../../../src/apps/server/inspector/compare/compare-texts.ts"
import { guardedPath, guardHeaders, inspector } from "../../../../src/apps/server/inspector/inspector.ts"
import { type HeldWords, mayHold, showsMemory } from "../../../../src/apps/server/inspector/may-hold.ts"
import { pageFileOf } from "../../../../src/apps/server/inspector/page-files.ts"
import { Recorder } from "../../../../src/apps/server/inspector/recorder.ts"
import { tokenBorders } from "../../../../src/apps/server/inspector/stored-routes.ts"
import { checkPrices } from "../../../../src/core/model/prices.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"
import { endings } from "../../../support/endings.ts"
import { editing, persona } from "./editing.ts"
import { inspected } from "./inspected.ts"

afterEach(() => vi.unstubAllEnvs())

test("an inspector that cannot be made, and a page that may not ask, are told why", async () => {
  const agent = () => createAgent({ profile: resolveProfile({ name: "x" }), model: scriptedModel([]) })
  const make = (options: object) => () => inspector(agent(), options).token.length
  const host = (name: string) => () => inspector(agent(), { token: "a-token-of-the-test" }).listen({ host: name })
  const prices = (given: unknown) => () => checkPrices(given, () => "`prices`")
  const guard = (path: string, headers: Record<string, string>) => () =>
    guardedPath(new Request(`http://localhost${path}`, { headers: { host: "localhost", ...headers } }), { token: "t", hosts: [] })
  const tasks = {
    "a random token": make({}),
    "a token of 16 signs": make({ token: "abcdefghij_-0123" }),
    "a token of 15 signs": make({ token: "abcdefghij_-012" }),
    "a token with other signs": make({ token: "abcdefghij_-0123/" }),
    "an editor": make({ editor: "vscode://file/{file}:{line}" }),
    "an editor that a browser opens": make({ editor: "https://x/{file}" }),
    "an editor without a file": make({ editor: "vscode://file" }),
    "files without a variant": make({ files: {} }),
    "an unknown option": make({ price: {} }),
    "an unknown option of what is kept": make({ keep: { folder: "x", maxturns: 1 } }),
    "an unknown option of the server": () => inspector(agent(), {}).listen({ prot: 1 } as object),
    "a second inspector": () => {
      const own = agent()
      inspector(own)
      return inspector(own)
    },
    "no agent": () => inspector({} as never),
    "an address that others reach": host("0.0.0.0"),
    "in production": () => {
      vi.stubEnv("NODE_ENV", "production")
      return inspector(agent()).listen()
    },
    "prices that are a list": prices([]),
    "a price that is a number": prices({ m: 1 }),
    "a price of a long list": prices({ m: Array(40).fill("x") }),
    "an unknown price": prices({ m: { input: 1, output: 1, cached: 1 } }),
    "a price that is missing": prices({ m: { input: 1 } }),
    "a negative price": prices({ m: { input: -1, output: 0 } }),
    "a price without an end": prices({ m: { input: Number.POSITIVE_INFINITY, output: 0 } }),
    "prices from nothing on": prices({ m: { input: 0, output: 0, cacheRead: 0 } }),
    "another host": guard("/t/", { host: "evil.test" }),
    "another origin": guard("/t/", { origin: "http://evil.test" }),
    "another site": guard("/t/", { "sec-fetch-site": "cross-site" }),
    "no token": guard("/x/", {}),
    "the page": () => pageFileOf("")[1],
    "its headers": () => guardHeaders,
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/mistakes.txt")
})

test("a page whose files or documents cannot be changed is told why", async () => {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const model = {
    ...scriptedModel([]),
    async *stream() {
      begun.resolve()
      await held.promise
      yield { type: "finish", reason: "stop" } as const
    },
  }
  const documents = { read: async () => ({ text: "", hash: "1" }), history: async () => [] }
  const page = inspected([finish("Yes.")], { documents })
  const running = inspected([], { model })
  const { ask, path } = await editing([], { "prompts/characters/en/luna.md": `${persona}My key is sk-abcdefghijklmnop1234.\n` })
  const asked = (of: Pick<typeof page, "post">, at: string, body: unknown) => async () => {
    const answer = await of.post(at, body)
    return `${answer.status} ${await answer.text()}`
  }
  const turn = running.session.send("hi")
  await begun.promise
  const tasks = {
    "no change is named": asked(page, "api/documents/undo", { hash: null }),
    "no file is named": asked(page, "api/documents/undo", { id: "1", hash: 1 }),
    "nothing can be undone": asked(page, "api/documents/undo", { id: "1", hash: "1" }),
    "no text": () => ask("files/save", { path, text: 1, hash: "x" }),
    "a file with a key in it": () => ask("files/read", { path }),
    "a file that nobody reads": () => ask("files/read", { path: "secret.txt" }),
    "a turn that is not kept": asked(page, "api/turns/x/preview", {}),
    "a turn without a request": asked(running, `api/turns/${turn.id}/preview`, {}),
    "tokens that cannot be told apart": asked(page, "api/tokens", { text: "x" }),
  }
  const text = await endings(tasks, path)
  held.resolve()
  await turn.result
  await expect(text).toMatchFileSnapshot("__snapshots__/unchanged.txt")
})

describe("two texts", () => {
  const kinds = (a: string, b: string) => diffTexts(a, b).runs.map(({ kind }) => kind)

  test("have a changed line where four tenths of the longer one are equal at its ends", () => {
    // Ten characters: `same` of them at the beginning or the end.
    const line = (same: number, other: string) => `${"=".repeat(same)}${other.repeat(10 - same)}`
    expect([3, 4, 5].map((same) => kinds(line(same, "a"), line(same, "b")).join())).toEqual([
      "removed,added",
      "changed",
      "changed",
    ])
    expect(kinds("aaaaaa====", "bbbbbb====")).toEqual(["changed"])
    expect(kinds("aaaaaaa===", "bbbbbbb===")).toEqual(["removed", "added"])
    expect(kinds("==aaaaaa==", "==bbbbbb==")).toEqual(["changed"])
    // Space at the ends does not count, nor what stands behind 2,000 characters.
    expect(kinds("      aaaa====", "bbbb====     ")).toEqual(["changed"])
    expect(kinds(`${"a".repeat(1_199)}${"=".repeat(801)}`, `${"b".repeat(1_199)}${"=".repeat(801)}`)).toEqual(["changed"])
    expect(kinds(`${"a".repeat(2_000)}${"=".repeat(9_000)}`, `${"b".repeat(2_000)}${"=".repeat(9_000)}`)).toEqual([
      "removed",
      "added",
    ])
    expect(kinds("x", "")).toEqual(["removed"])
    expect(kinds("==", "===")).toEqual(["changed"])
  })

  test("pair the lines that are most alike, in order", () => {
    const runs = (a: readonly string[], b: readonly string[]) => {
      const [left, right] = [a, b].map((lines) => lines.map((line) => `${line}\n`).join("")) as [string, string]
      return diffTexts(left, right).runs.map(
        ({ kind, a: from, b: to }) => `${kind} ${JSON.stringify(left.slice(...from))} ${JSON.stringify(right.slice(...to))}`,
      )
    }
    expect(runs(["1 apple pie", "2 banana split"], ["0 new", "1 apple cake", "2 banana bread", "3 last"])).toEqual([
      'added "" "0 new\\n"',
      'changed "1 apple pie\\n" "1 apple cake\\n"',
      'changed "2 banana split\\n" "2 banana bread\\n"',
      'added "" "3 last\\n"',
    ])
    // The second one is more alike to the first of the other side.
    expect(runs(["abcd----", "abcdefg-"], ["abcdefgh"])).toEqual([
      'removed "abcd----\\n" ""',
      'changed "abcdefg-\\n" "abcdefgh\\n"',
    ])
    const many = (count: number, end: string) => Array.from({ length: count }, (_, at) => `a line ${at} ${end}`)
    expect(new Set(runs(many(100, "x"), many(100, "y")).map((run) => run.split(" ")[0]))).toEqual(new Set(["changed"]))
    expect(new Set(runs(many(101, "x"), many(100, "y")).map((run) => run.split(" ")[0]))).toEqual(new Set(["removed", "added"]))
  })

  test("that are lists of other entries are searched up to 2,000 of them", () => {
    const list = (count: number, name: string) => ["head", ...Array.from({ length: count }, (_, at) => `${name}${at}`), "tail"]
    expect([align(list(1_000, "a"), list(1_000, "b")).isWhole, align(list(1_001, "a"), list(1_000, "b")).isWhole]).toEqual([
      true,
      false,
    ])
    expect(align([], ["a"])).toEqual({ runs: [{ isSame: false, a: [0, 0], b: [0, 1] }], isWhole: true })
    expect(align([], [])).toEqual({ runs: [], isWhole: true })
    expect(align(["a"], ["a"])).toEqual({ runs: [{ isSame: true, a: [0, 1], b: [0, 1] }], isWhole: true })
  })
})

test("the borders of tokens are the shortest that add up, in pieces of at most 60 characters", () => {
  // A token is a run of one letter; a piece ends at a space.
  const count = (text: string) => text.match(/(.)\1*/gsu)?.length ?? 0
  const pieces = (text: string) => new Set([0, ...[...text.matchAll(/ /g)].map(({ index }) => index)])
  const borders = (text: string) => tokenBorders(text, { exact: true, count, pieces: (of: string) => [...pieces(of)] } as never)
  expect(borders("aab")).toEqual([
    { end: 2, tokens: 1 },
    { end: 3, tokens: 1 },
  ])
  expect(borders("abc d")?.map(({ end }) => end)).toEqual([1, 2, 3, 4, 5])
  expect(borders("a😀b")?.map(({ end }) => end)).toEqual([1, 3, 4])
  expect(borders("ab".repeat(30))).toHaveLength(60)
  expect(borders(`${"ab".repeat(30)}a`)).toEqual([{ end: 61, tokens: 61 }])
  expect(tokenBorders("x", { exact: true, count } as never)).toBeUndefined()
})

test("whose words a record may hold decides which ones go", async () => {
  const held = (id: string, conversation: string, user: string, more: object = {}): HeldWords => {
    const session = { agent: "fay", conversation, audience: "private", ...more } as HeldWords["session"]
    return { id, session, user, hasMemory: id.includes("memory") }
  }
  const all = [
    ...[held("own", "a", "ann"), held("own memory", "a", "ann"), held("other", "b", "bob"), held("other memory", "b", "bob")],
    ...[held("beside", "a", "bob"), held("group", "g", "bob", { audience: "group" }), held("gone", "gone", "bob")],
    held("another agent's", "a", "ann", { agent: "mei" }),
  ]
  const asked: string[] = []
  const isStored = async ({ conversation }: HeldWords["session"]) => {
    asked.push(conversation)
    return conversation !== "gone"
  }
  const gone = async (scope: object) => [...(await mayHold(all, { agent: "fay", ...scope } as never, isStored))]
  expect(await gone({ user: "ann" })).toEqual(["own", "own memory", "beside", "group", "gone"])
  expect(await gone({ user: "ann", memories: ["m"] })).toEqual(["own memory", "gone"])
  expect(await gone({ conversation: "b" })).toEqual(["own memory", "other", "other memory", "gone"])
  asked.length = 0
  expect(await gone({})).toEqual(["gone"])
  // Each session is asked for once.
  expect(asked).toEqual(["a", "b", "g", "gone"])
})

test("text of a memory stands in a turn that recalled, changed or asked for one, or printed it", () => {
  const span = (trust: string) => ({ assembly: { spans: [{ trust: "user" }, { trust }] } })
  const shows = (trace: object, changes?: number) =>
    showsMemory(
      { steps: [span("author")], children: [], ...trace } as never,
      changes === undefined ? undefined : ({ changes: Array(changes).fill({}), lost: 0 } as never),
    )
  expect([shows({}), shows({}, 0), shows({ recalled: [] }, 0)]).toEqual([false, false, false])
  expect([
    shows({ recalled: [{}] }),
    shows({ children: [{}] }),
    shows({}, 1),
    shows({ steps: [span("author"), span("memory")] }),
  ]).toEqual([true, true, true, true])
  expect([
    shows({ recalled: [{}], children: [{}] }, 1),
    shows({ recalled: [{}], children: [{}] }),
    shows({ children: [{}] }, 1),
  ]).toEqual([true, true, true])
})

test("a recorder keeps 2,000 events of a turn, and tells its listeners of each one", () => {
  const clock = manualClock(1_000)
  const recorder = new Recorder({ maxTurns: 2, maxBytes: 1_000_000 }, clock)
  const heard: string[] = []
  const stop = recorder.listen((id) => heard.push(id))
  const input = (turnId: string) => ({
    input: {
      turnId,
      key: { agent: "a", conversation: "c", audience: "private" },
      speaker: { id: "u" },
      text: "hi",
      stack: { items: () => [] },
      inject: [],
    },
  })
  const tell = (turnId: string, event: object) => recorder.tell(input(turnId) as never, event as never)
  tell("one", { type: "text-delta", delta: "lost" })
  expect(recorder.turns).toEqual([])
  tell("one", { type: "turn-start", atMs: 1_000, colour: "red" })
  clock.advance(5)
  for (let at = 0; at < 2_001; at++) tell("one", { type: "bubble", text: "abc" })
  expect(recorder.get("one")).toMatchObject({ startedMs: 1_000, colour: "red", lostEvents: 2, calls: 0, tools: 0 })
  expect(recorder.get("one")?.events).toHaveLength(2_000)
  expect(recorder.get("one")?.events.slice(0, 2)).toEqual([
    { type: "turn-start", atMs: 0 },
    { type: "bubble", atMs: 5, characters: 3 },
  ])
  expect(heard).toHaveLength(2_002)
  stop()
  tell("two", { type: "turn-start", atMs: 1_005 })
  expect([heard.length, recorder.dropped]).toEqual([2_002, 0])
  tell("two", { type: "step-start", step: 1, prompt: "planner" })
  tell("two", { type: "tool-start", id: "c", tool: "look" })
  expect(recorder.get("two")).toMatchObject({ calls: 1, tools: 1, outcome: { state: "running", doing: "look" } })
  for (const delta of ["ab", "c"]) tell("two", { type: "thinking-delta", delta })
  clock.advance(3)
  for (const delta of ["de", "f"]) tell("two", { type: "text-delta", delta })
  expect(recorder.get("two")?.events.slice(-2)).toEqual([
    { type: "thinking-delta", atMs: 0, endMs: 0, characters: 3 },
    { type: "text-delta", atMs: 3, endMs: 3, characters: 3 },
  ])
  expect(recorder.get("two")?.answer()).toBe("def")
  tell("three", { type: "turn-start", atMs: 1_008 })
  expect([recorder.turns.map(({ id }) => id), recorder.dropped]).toEqual([["two", "three"], 1])
  recorder.forget(new Set(["two", "unknown"]))
  tell("two", { type: "text-delta", delta: "after it was forgotten" })
  expect(recorder.turns.map(({ id }) => id)).toEqual(["three"])
  recorder.clear()
  expect(recorder.turns).toEqual([])
  // It was let go of while it ran, so it comes back with its end alone.
  const trace = { steps: [], runs: [], prestart: [], children: [], durationMs: 1 }
  tell("three", { type: "turn-end", result: { ok: true, text: "the end", stopReason: "finish", trace } })
  expect(recorder.turns.map((turn) => [turn.id, turn.answer()])).toEqual([["three", "the end"]])
})

test("a turn counts as the texts of its trace: each request three times, each result with 200 units more, and each event as 100 bytes", () => {
  const step = (content: string, output: string) => ({ output, assembly: { messages: [{ content }, { content }] } })
  const part = (more: object = {}) => ({ steps: [], runs: [], prestart: [], children: [], ...more })
  const child = { trace: part({ steps: [step("abc", "d")], runs: [{ result: "of a child" }] }) }
  const trace = part({
    ...{ durationMs: 1, steps: [step("one", "two"), step("", "three")] },
    ...{ runs: [{ result: "result" }], prestart: [{ result: "begun before" }], children: [child] },
  })
  const units = 2 * 3 * "one".length + "two".length + "three".length + "result".length + "begun before".length + 2 * 200
  const size = 2 * units + 2 * (2 * 3 * "abc".length + "d".length + "of a child".length + 200) + 2 * 100
  const kept = (maxBytes: number) => {
    const recorder = new Recorder({ maxTurns: 9, maxBytes }, manualClock(0))
    for (const turnId of ["one", "two", "three"]) {
      const input = { turnId, key: {}, speaker: {}, text: "", stack: { items: () => [] }, inject: [] }
      const tell = (event: object) => recorder.tell({ input } as never, event as never)
      tell({ type: "turn-start" })
      tell({ type: "turn-end", result: { ok: true, text: "", stopReason: "finish", trace } })
    }
    return recorder.turns.map(({ id }) => id)
  }
  expect([3 * size, 3 * size - 1, 2 * size, 2 * size - 1, size, size - 1, 0].map(kept)).toEqual([
    ["one", "two", "three"],
    ["two", "three"],
    ["two", "three"],
    ...Array.from({ length: 4 }, () => ["three"]),
  ])
})

test("a reader of changes hears each turn once in 40 milliseconds, and leaves nothing behind", async () => {
  const listeners = new Set<(id: string) => void>()
  const recorder = {
    listen(listener: (id: string) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as Recorder
  const timers = manualTimers(manualClock(0))
  const left = new AbortController()
  const added = vi.spyOn(left.signal, "addEventListener")
  const removed = vi.spyOn(left.signal, "removeEventListener")
  const changes = changedTurns(recorder, { timers, signal: left.signal })
  const first = changes.next()
  const tell = (id: string): void => {
    for (const listener of listeners) listener(id)
  }
  for (const id of ["a", "b", "a"]) tell(id)
  expect((await first).value).toEqual(["a", "b"])
  const second = changes.next()
  tell("c")
  await timers.whenPending(1)
  timers.advance(39)
  let isHere = false
  void second.then(() => {
    isHere = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(isHere).toBe(false)
  timers.advance(1)
  expect((await second).value).toEqual(["c"])
  const third = changes.next()
  await timers.whenPending(1)
  timers.advance(40)
  await new Promise((resolve) => setImmediate(resolve))
  left.abort()
  expect([(await third).done, listeners.size, added.mock.calls.length, removed.mock.calls.length]).toEqual([true, 0, 1, 1])
})
