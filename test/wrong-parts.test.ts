import { expect, test } from "vitest"
import { connectMcp } from "../src/adapters/mcp/index.ts"
import { openSqliteStore } from "../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { BotChat } from "../src/apps/bots/deliver-turn.ts"
import { type BotMessage, createBot } from "../src/apps/bots/index.ts"
import { createHandler, type HandlerOptions } from "../src/apps/server/index.ts"
import { createAgent } from "../src/loop/agent/agent.ts"
import type { AgentOptions } from "../src/loop/agent/agent-options.ts"
import { createInMemoryStore } from "../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../src/memory/services/store/store.ts"
import { resolveProfile } from "../src/profile/resolve.ts"
import { manualClock, scriptedModel } from "../src/testing/index.ts"
import { tempFolder } from "./support/temp-folder.ts"
import { agentOf, untold } from "./support/wrong-values.ts"

const key = { agent: "a", conversation: "c", audience: "private" }
const owned = { ...key, user: "u" }
const speaker = { id: "u", name: "U" }
const message = { turnId: "t1", role: "user", text: "h", speaker, atMs: 5, attachments: [] }
const memory = { id: "x", ...owned, kind: "dialogue", text: "t", speaker, atMs: 1, turnId: "t1", turn: 0 }
const commit = { expectVersion: 0, append: [message], state: {}, jobs: [], taken: [], receipts: [] }
const vector = { memoryId: "x", model: "m", values: new Float32Array() }

/** The arguments of the methods of a store, by name. */
const methods: Readonly<Record<string, readonly unknown[]>> = {
  load: [key, { last: 3 }],
  commit: [key, commit],
  append: [key, [message]],
  post: [key, { id: "n", owner: "o", payload: {} }],
  messages: [key, { limit: 3, speaker: "x", containing: "y", fromMs: 1 }],
  branches: [key],
  forget: [{ agent: "a", conversation: "c" }],
  import: [[""]],
  "memories.put": [memory, { hash: "h", supersedes: ["y"], key: owned }],
  "memories.markUsed": [["x"], { atMs: 3, key: owned }],
  "memories.forget": [["x"], { atMs: 3, key: owned }],
  "memories.get": ["x", owned],
  "memories.changes": [owned, { limit: 3, after: { epoch: 0, sequence: 0 } }],
  "memories.recent": [owned, { limit: 3, kinds: ["note"] }],
  "memories.vectors": [["x"], "m", owned],
  "memories.withoutVector": ["m", owned, 3],
  "users.load": [owned],
  "wakes.list": [{ agent: "a" }],
  "wakes.delete": [key, "i"],
  "blobs.get": ["x", key],
}

function call(store: Store, path: string, given: readonly unknown[]): unknown {
  const [first = "", second] = path.split(".")
  const member = Reflect.get(store, first)
  return second === undefined ? member.apply(store, given) : member[second](...given)
}

test.each(Object.entries(methods))(
  "L20 %s of a store tells a wrong argument at any depth, in memory and in SQLite",
  async (path, given) => {
    const inFile = await openSqliteStore(`${tempFolder()}/store.sqlite`)
    for (const store of [createInMemoryStore(), inFile])
      expect(await untold([...given], async (wrong) => void (await call(store, path, wrong)))).toEqual([])
    await inFile.close()
  },
)

test("L20 vectors of a wrong shape are told", async () => {
  const { memories } = createInMemoryStore()
  for (const wrong of [undefined, 7, [null], [{ ...vector, values: undefined }]])
    await expect(memories.putVectors(wrong as never, owned as never)).rejects.toMatchObject({ code: "usage" })
})

test("L20 a user or conversation that is undefined forgets and exports nothing, least of all the whole agent", async () => {
  const store = createInMemoryStore()
  await store.append(key as never, [message as never])
  for (const name of ["user", "conversation"]) {
    const scope = { agent: "a", [name]: undefined } as never
    await expect(store.forget(scope)).rejects.toMatchObject({ code: "usage" })
    expect(() => store.export(scope)).toThrow(expect.objectContaining({ code: "usage" }))
  }
  expect((await store.load(key as never))?.history).toHaveLength(1)
})

const results: Readonly<Record<string, unknown>> = {
  load: { version: 1, history: [message], earlier: 0, state: {}, notes: [{ id: "n", owner: "o", payload: {} }] },
  commit: { version: 1 },
  messages: [message],
  branches: [{ turnId: "t", messages: [message], isAside: false }],
}

test.each(Object.entries(results))(
  "L20 an agent tells what %s of a program's own store gave in a wrong shape",
  async (method, result) => {
    const found = await untold({ result }, async ({ result }) => {
      const store = { ...createInMemoryStore(), [method]: async () => result }
      const session = agentOf({ store }).session("c")
      const end = await session.send("x").result
      if (end.ok) await session.history({ limit: 3 })
      return end
    })
    expect(found).toEqual([])
  },
)

/** An agent that remembers, with services of a program's own, and the first foreign fault of its background work. */
async function faultBehind(services: AgentOptions["services"]): Promise<{ readonly error?: unknown }> {
  const warnings: string[] = []
  const profile = resolveProfile({ loop: { mode: "chat" } })
  const store = createInMemoryStore({ jobs: { maxAttempts: 1 } })
  const model = {
    ...{ id: "m", capabilities: { tools: false, developerRole: false } },
    async *stream() {
      yield { type: "text-delta" as const, delta: "Hi." }
      yield { type: "finish" as const, reason: "stop" as const }
    },
  }
  const agent = createAgent({
    profile,
    model,
    store,
    services: services ?? {},
    onWarning: ({ message }) => warnings.push(message),
  })
  const end = await agent.session("c").send("Where do I live?", { from: speaker }).result
  await agent.close()
  const fault = warnings.find((warning) => /is not a function|Cannot |is not iterable|BigInt/.test(warning))
  return fault === undefined ? { ...(end.ok ? {} : { error: end.error }) } : { error: new Error(fault) }
}

const execute = async () => undefined
const services: Readonly<Record<string, readonly [good: object, make: (given: never) => object]>> = {
  "memory, its methods": [
    { recall: async () => [], remember: execute, recent: async () => [], get: execute },
    (memory) => ({ memory }),
  ],
  "memory, its recall": [
    { value: [{ id: "x", text: "t", speaker, atMs: 1 }] },
    ({ value }) => ({ memory: { recall: async () => value, remember: execute, recent: async () => [], get: execute } }),
  ],
  "userProfile, its methods": [{ get: execute, put: execute }, (userProfile) => ({ userProfile })],
  "userProfile, its profile": [
    { value: { version: 0, fields: [], history: [] } },
    ({ value }) => ({ userProfile: { get: async () => value, put: async () => value } }),
  ],
  "reflection, what is due": [
    { value: true },
    ({ value }) => ({ reflection: { due: async () => value, reflect: async () => value } }),
  ],
}

test.each(Object.entries(services))("L20 an agent tells a wrong shape of the service %s", async (_, [good, make]) => {
  expect(await untold(good, (given) => faultBehind(make(given as never)))).toEqual([])
})

const ports = {
  clock: { nowMs: () => 5 },
  ids: { next: (prefix: string) => `${prefix}1` },
  random: () => 0.5,
  counter: { exact: true, count: () => 1 },
}

test("L20 an agent tells ports and models of a wrong shape, and takes an undefined port as absent", async () => {
  expect(
    (
      await agentOf({ ports: { ...ports, timers: undefined } })
        .session("c")
        .send("x").result
    ).ok,
  ).toBe(true)
  expect(await untold({ ports }, (given) => agentOf(given).session("c").send("x").result)).toEqual([])
  const model = { id: "m", capabilities: { tools: false, developerRole: false }, stream: () => [] }
  expect(await untold({ model }, (given) => agentOf(given).session("c").send("x").result)).toEqual([])
})

const ask = { model: "fay", messages: [{ role: "user", content: "hi" }] }

/** The first error that a handler meets in a request. */
async function faultOf(options: HandlerOptions): Promise<{ readonly error?: unknown }> {
  const errors: unknown[] = []
  const handle = createHandler({
    ...options,
    ...(typeof options.onError === "function" && { onError: (error) => errors.push(error) }),
  })
  const body = JSON.stringify(ask)
  await (
    await handle(
      new Request("http://bot.test/v1/chat/completions", { method: "POST", body, headers: { origin: "http://x.test" } }),
    )
  ).text()
  return { error: errors[0] }
}

test("L20 createHandler tells wrong options and a wrong caller", async () => {
  const options = {
    ...{ agents: { fay: agentOf() }, authorize: () => ({ user: "u" }), allowedOrigins: ["http://x.test"], maxBodyBytes: 1_000 },
    ...{ limits: { requestsPerMinute: 30 }, locale: "en", onError: () => undefined, clock: manualClock(5) },
  }
  expect(await untold(options, faultOf)).toEqual([])
  const caller = { user: "u", name: "N", conversation: "c", operator: true }
  expect(
    await untold({ caller }, ({ caller }) => faultOf({ ...options, agents: { fay: agentOf() }, authorize: () => caller })),
  ).toEqual([])
})

/** Timers that let nobody wait: what is sent again after a failure is sent at once. */
const timers = {
  set: (callback: () => void) => setImmediate(callback),
  clear: (handle: unknown) => clearImmediate(handle as never),
}

const chat: BotChat = {
  ...{ sendText: () => undefined, sendFile: () => undefined, ask: () => undefined, showTyping: () => undefined },
  ...{ operators: ["u"], print: (text) => text, locale: "en", limit: 100, unit: "utf16", timers, typingEveryMs: 4_000 },
  ...{ retryAfterMs: () => undefined, attempts: 2, longestWaitMs: 5, signal: new AbortController().signal },
}
const told = {
  ...{ id: "1", text: "hello", from: speaker, atMs: 5, files: [], media: [{ kind: "sticker" }] },
  ...{ replyTo: { from: { id: "b", name: "B" } }, mentions: [{ id: "b", name: "B" }] },
}

test.each([
  ["a chat", { chat }],
  ["a message", { message: told }],
  ["a conversation", { conversation: { conversation: "c", audience: "private" } }],
])("L20 a bot tells %s of a wrong shape", async (_, data) => {
  const good = { chat, message: told, conversation: { conversation: "c", audience: "private" } }
  const found = await untold(data, async (given) => {
    const errors: unknown[] = []
    const { chat, message, conversation } = { ...good, ...given }
    const own = typeof chat === "object" && chat !== null ? { onError: (error: unknown) => errors.push(error), ...chat } : chat
    const bot = createBot({
      profile: resolveProfile({ loop: { mode: "chat" } }),
      model: model(),
      chat: () => own,
      onWarning: () => undefined,
      ports: { timers },
    })
    await bot.take(conversation as never, message as BotMessage)
    await bot.idle()
    await bot.close()
    return { error: errors[0] }
  })
  expect(found).toEqual([])
})

function model(): AgentOptions["model"] {
  return {
    ...{ id: "m", capabilities: { tools: false, developerRole: false } },
    async *stream() {
      yield { type: "text-delta", delta: "Hi." }
      yield { type: "finish", reason: "stop" }
    },
  }
}

test.each([[{}], [7], [[7]], [[null]], [[{}]], [[{ type: 7 }]]])("L20 scriptedModel tells a wrong answer %j", async (answer) => {
  const end = await agentOf({ model: scriptedModel([answer as never]) })
    .session("c")
    .send("x").result
  expect(end).toMatchObject({ ok: false, error: { code: "usage" } })
})

test("L20 connectMcp tells wrong servers and options", async () => {
  const data = {
    servers: { s: { command: "false", args: ["x"], env: { A: "b" }, cwd: "/", disabled: true } },
    options: {
      locale: "en",
      approvals: { load: async () => ({}), save: execute },
      reserved: ["x"],
      onWarning: execute,
      onChange: execute,
    },
  }
  expect(await untold(data, async ({ servers, options }) => (await connectMcp(servers, options)).close())).toEqual([])
})
