import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { TurnRecord, TurnSummary } from "../../../../src/apps/server/inspector/turn-record.ts"
import type { LanguageModel } from "../../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { inspected } from "./inspected.ts"

const day = 86_400_000

type Setup = NonNullable<Parameters<typeof inspected>[1]>

/** An inspector that keeps its turns, and what it warned of. */
function keeping(answers: readonly string[], { keep, profile, ...setup }: Setup = {}) {
  const folder = keep?.folder ?? join(tempFolder(), "turns")
  const warnings: string[] = []
  const onWarning = (message: string) => void warnings.push(message)
  const parts = inspected(answers.map(finish), {
    ...{ onWarning, ...setup },
    profile: { agent: { id: "fay", name: "Fay" }, ...profile },
    keep: { folder, ...keep },
  })
  const questions = async () => (await parts.get<{ turns: TurnSummary[] }>("api/turns")).turns.map(({ question }) => question)
  return { ...parts, folder, warnings, questions }
}

/** An inspector of a new process on the folder of another one. */
const later = (folder: string, setup: Setup = {}) => keeping([], { ...setup, keep: { folder, ...setup.keep } })

const filesOf = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
const textOf = (folder: string) =>
  filesOf(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n")

describe("turns that are kept on the disk", () => {
  test("are on the page of the next process, with their filters, as they were", async () => {
    const first = keeping(["one", "two"])
    const { folder } = first
    const { turnId } = (await first.session.send("What time is it?").result).trace
    await first.session.send("And now?").result
    const made = await first.record(turnId)
    await first.made.close()
    const { get, fetch, post, questions } = later(folder)
    expect(await questions()).toEqual(["And now?", "What time is it?"])
    const { isKept, ...kept } = await get<TurnRecord>(`api/turns/${turnId}`)
    expect(isKept).toBe(true)
    expect(kept).toEqual(JSON.parse(JSON.stringify(made)))
    const list = async (query: string) => (await get<{ turns: TurnSummary[] }>(`api/turns?${query}`)).turns.map(({ id }) => id)
    expect(await list("search=ONE&state=answered")).toEqual([turnId])
    expect(await list("conversation=other")).toEqual([])
    expect(await list("state=failed")).toEqual([])
    expect((await post(`api/turns/${turnId}/preview`, {})).status).toBe(409)
    expect((await fetch("api/turns/gone")).status).toBe(404)
  })

  test("have the jobs that ended, and none that runs for ever", async () => {
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const run = () => {
      begun.resolve()
      return gate.promise
    }
    const { folder, session, agent, made } = keeping(["one"], {
      agentOptions: { plugins: [{ name: "tidy", jobs: [{ kind: "tidy", afterTurn: () => ({}), run }] }] },
      // The disk is free once the job runs.
      timers: { set: (write) => void begun.promise.then(write), clear: () => undefined },
    })
    const { turnId } = (await session.send("What time is it?").result).trace
    await begun.promise
    await expect.poll(() => textOf(folder)).toContain("What time is it?")
    gate.resolve()
    await agent.idle()
    await made.close()
    const { get } = later(folder)
    expect((await get<TurnRecord>(`api/turns/${turnId}`)).jobs).toEqual([])
    expect((await get<{ turns: TurnSummary[] }>("api/turns")).turns).toMatchObject([{ jobs: 0 }])
  })

  test("stand among those in memory once, in the order of their start", async () => {
    const { folder, session, questions, made } = keeping(["one", "two"])
    await session.send("1").result
    const other = keeping(["three"], {
      keep: { folder },
      agentOptions: { ports: { clock: manualClock(Date.UTC(2026, 0, 3)), ids: { next: () => "other" } } },
    })
    await other.session.send("2").result
    await other.made.close()
    await session.send("3").result
    expect(await questions()).toEqual(["2", "3", "1"])
    await made.close()
    expect(filesOf(folder)).toHaveLength(3)
  })

  test("are bounded by number, bytes and days; the oldest go first", async () => {
    const few = keeping(["a", "b", "c"], { keep: { folder: join(tempFolder(), "few"), maxTurns: 2 } })
    for (const text of ["1", "2", "3"]) await few.session.send(text).result
    await few.made.close()
    expect(await later(few.folder).questions()).toEqual(["3", "2"])
    const [size = 0] = filesOf(few.folder).map((name) => readFileSync(join(few.folder, name)).length)
    const small = later(few.folder, { keep: { folder: few.folder, maxBytes: Math.round(size * 1.5) } })
    expect(await small.questions()).toEqual(["3"])
    const old = later(few.folder, { keep: { folder: few.folder, maxDays: 5 }, clock: manualClock(Date.now() + 6 * day) })
    expect(await old.questions()).toEqual([])
    expect(filesOf(few.folder)).toEqual([])
  })

  test("have no secrets in their files", async () => {
    const { folder, session, made } = keeping(["sk-abcdefghijklmnop1234 is yours."], { secrets: ["swordfish"] })
    await session.send("sk-abcdefghijklmnop1234 and swordfish").result
    await made.close()
    expect(textOf(folder)).toContain("[secret]")
    expect(textOf(folder)).not.toMatch(/abcdefghijklmnop|swordfish/u)
  })

  test.each([
    ["a file that breaks off in its head", (path: string) => truncateSync(path, 40)],
    ["a file that breaks off in its record", (path: string) => truncateSync(path, readFileSync(path).length - 100)],
    ["a file of other content", (path: string) => writeFileSync(path, "hello\nworld\n")],
    ["an empty file", (path: string) => writeFileSync(path, "")],
    ["a head that is no summary", (path: string) => writeFileSync(path, '{"version":1,"summary":{"id":7}}\n{}\n')],
  ])("are shown without %s, which is set aside and told", async (_, damage) => {
    const { folder, session, made } = keeping(["a", "b"])
    const { turnId } = (await session.send("1").result).trace
    await session.send("2").result
    await made.close()
    const [name = ""] = filesOf(folder).filter((file) => file.includes(turnId))
    damage(join(folder, name))
    const { fetch, get, questions, warnings } = later(folder)
    await questions()
    expect((await fetch(`api/turns/${turnId}`)).status).toBe(404)
    expect(await questions()).toEqual(["2"])
    expect(warnings).toEqual([expect.stringMatching(/is damaged\. It was set aside as .*\.damaged/u)])
    expect(await get("api/info")).toMatchObject({ warnings })
    expect(filesOf(folder)).toContain(`${name}.damaged`)
  })

  test("leave other files of the folder alone, and only the newest ten damaged ones", async () => {
    const { folder, session, made } = keeping(["a"])
    mkdirSync(folder)
    writeFileSync(join(folder, "notes.json"), "mine")
    for (let at = 10; at < 25; at++) writeFileSync(join(folder, `0000000000000${at}-x.json`), "damaged")
    const left = join(folder, "000000000000001-x.json.9.tmp")
    writeFileSync(left, "half")
    utimesSync(left, 1, 1)
    await session.send("1").result
    await made.close()
    expect(readFileSync(join(folder, "notes.json"), "utf8")).toBe("mine")
    await later(folder).questions()
    expect(filesOf(folder).filter((name) => name.endsWith(".damaged"))).toHaveLength(10)
    expect(filesOf(folder).filter((name) => name.endsWith(".tmp"))).toEqual([])
  })

  test("that cannot be written are told; the turn goes on", async () => {
    const folder = join(tempFolder(), "file")
    writeFileSync(folder, "")
    const { session, made, warnings } = keeping(["a"], { keep: { folder } })
    expect(await session.send("1").result).toMatchObject({ ok: true })
    await made.close()
    expect(warnings.join()).toMatch(/The record of turn \S+ was not kept: /u)
    const small = keeping(["a"], { keep: { folder: tempFolder(), maxBytes: 10 } })
    await small.session.send("1").result
    await small.made.close()
    expect(small.warnings.join()).toMatch(/it has \d+ bytes; the bound is 10/u)
  })
})

describe("words that are forgotten", () => {
  const memories = { recall: async () => [{ id: "m", text: "The canary sings.", score: 1 }] }
  const ann = { from: { id: "ann", name: "Ann" } }
  const bob = { from: { id: "bob", name: "Bob" } }

  /** The questions that are left, in memory and on the disk. */
  async function left({ questions, made, folder }: ReturnType<typeof keeping>) {
    const there = await questions()
    await made.close()
    expect(await later(folder).questions()).toEqual(there)
    return there.sort()
  }

  test("of a user leave the records: their conversations, and every turn of a group", async () => {
    const store = createInMemoryStore()
    const parts = keeping(Array<string>(5).fill("ok"), { agentOptions: { store } })
    const { agent, folder } = parts
    const group = agent.session({ conversation: "club", audience: "group" })
    await group.send("The canary sings.", ann).result
    await group.send("What does it do?", bob).result
    await agent.session("ann").send("My canary is yellow.", ann).result
    await agent.session("bob").send("Nothing of birds.", bob).result
    const heard = agent.session("shared")
    await heard.hear("Ann's canary.", ann)
    await heard.send("What did Ann say?", bob).result
    await store.forget({ agent: "fay", user: "ann" })
    expect(await left(parts)).toEqual(["Nothing of birds."])
    expect(textOf(folder)).not.toMatch(/canary/iu)
  })

  test("of a conversation leave the records of that conversation, and of others that show memories", async () => {
    const store = await openSqliteStore(join(tempFolder(), "store.db"))
    const parts = keeping(["a", "b", "c"], {
      profile: { memory: { enabled: true } },
      agentOptions: { store, memory: memories, onWarning: () => undefined },
    })
    await parts.agent.session("one").send("canary one", ann).result
    await parts.agent.session("two").send("two", ann).result
    await store.forget({ agent: "fay", conversation: "one" })
    expect(await left(parts)).toEqual([])
    expect(textOf(parts.folder)).not.toMatch(/canary/iu)
    await parts.agent.close()
    await store.close()
  })

  test.each([
    ["in memory", async () => createInMemoryStore()],
    ["of SQLite", async () => openSqliteStore(join(tempFolder(), "store.db"))],
  ])("of one memory leave the turns that show memories, if the store %s forgets it", async (_, open) => {
    const store = await open()
    let recalled = memories
    const parts = keeping(["a", "b", "c"], {
      profile: { memory: { enabled: true } },
      agentOptions: { store, memory: { recall: () => recalled.recall() }, onWarning: () => undefined, runJobs: false },
    })
    await parts.agent.session("one").send("What sings?", ann).result
    await parts.agent.session("other").send("And for me?", bob).result
    recalled = { recall: async () => [] }
    await parts.agent.session("two").send("Nothing here.", ann).result
    const key = { agent: "fay", conversation: "one", audience: "private", user: "ann" } as const
    const said = { kind: "note", text: "The canary sings.", speaker: { id: "ann", name: "Ann" }, atMs: 1, turn: 0 } as const
    await store.memories.put({ id: "m", ...key, ...said, turnId: "t" }, { hash: "h", key })
    await store.memories.forget(["m"], { atMs: 2, key })
    expect(await left(parts)).toEqual(["And for me?", "Nothing here."])
    await parts.agent.close()
    await store.close()
  })

  test("of a turn that runs are not recorded when it ends", async () => {
    const store = createInMemoryStore()
    const held = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const model: LanguageModel = {
      id: "held",
      capabilities: { developerRole: false, tools: false },
      async *stream() {
        asked.resolve()
        await held.promise
        yield { type: "text-delta", delta: finish("A canary.") }
        yield { type: "finish", reason: "stop" }
      },
    }
    const parts = keeping([], { model, agentOptions: { store } })
    const turn = parts.session.send("My canary?", ann)
    await asked.promise
    await store.forget({ agent: "fay", user: "ann" })
    held.resolve()
    await turn.result
    expect(await left(parts)).toEqual([])
  })

  test("of a store of one's own leave with `forget`, also damaged files; another agent's words stay", async () => {
    const parts = keeping(["a", "b"])
    await parts.session.send("canary", ann).result
    await parts.made.close()
    const name = "000000000000000-x.json.damaged"
    writeFileSync(join(parts.folder, name), "canary")
    const next = later(parts.folder)
    await next.made.forget({ agent: "other" })
    expect(await next.questions()).toEqual(["canary"])
    writeFileSync(join(parts.folder, name), "canary")
    await next.made.forget({ agent: "fay", user: "ann" })
    expect(filesOf(parts.folder)).toEqual([])
  })

  test("by another process leave the page as well", async () => {
    const { folder, session, made } = keeping(["a"])
    const { turnId } = (await session.send("canary", ann).result).trace
    await made.close()
    const [reader, forgetter] = [later(folder), later(folder)]
    expect(await reader.questions()).toEqual(["canary"])
    await forgetter.made.forget({ agent: "fay", user: "ann" })
    expect(await reader.questions()).toEqual([])
    expect((await reader.fetch(`api/turns/${turnId}`)).status).toBe(404)
  })
})
