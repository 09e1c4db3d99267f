import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import { storeFile } from "../../../src/adapters/stores/sqlite/store-file.ts"
import type { ServiceKey } from "../../../src/core/conversation.ts"
import type { StoredMemory } from "../../../src/memory/services/store/records.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { jsonLines } from "../../support/terminal.ts"
import { plainProfile, run, start } from "./run.ts"

/** Uses the store in the data folder. */
const env = { PROMPTSTRATA_STORE: "" }
const agent = "plain"
const key: ServiceKey = { agent, conversation: "terminal", audience: "private", user: "user" }

const optionsOf = (folder: string, locale = "en") => ["--profile", plainProfile, "--locale", locale, "--data-dir", folder]

function memory(id: string, text: string, more: Partial<StoredMemory> = {}): StoredMemory {
  const speaker = { id: key.user, name: "小明" }
  const atMs = Date.UTC(2026, 2, 1, 8, 5)
  return { ...key, id, kind: "dialogue", text, speaker, atMs, turnId: `turn of ${id}`, turn: 0, importance: 7, ...more }
}

/** Creates a data folder with memories in its store. */
async function remembering(): Promise<string> {
  const folder = tempFolder()
  const store = await openStore(folder)
  await store.memories.put(memory("m1", "我喜欢喝茉莉花茶"), { hash: "1", key })
  await store.memories.put(memory("m2", "I like green tea", { atMs: Date.UTC(2026, 2, 2) }), { hash: "2", key })
  await store.memories.put(memory("m3", "我改喝咖啡了", { atMs: Date.UTC(2026, 2, 3) }), { hash: "3", supersedes: ["m1"], key })
  const statement = { name: "tea", confidence: 0.9, turnId: "t1", conversation: "terminal", audience: "private" } as const
  await store.users.append([{ ...statement, value: "jasmine", atMs: 1 }], { turnId: "t1", expectVersion: 0, key })
  const newer = { ...statement, value: "green", atMs: 60_000, turnId: "t2" }
  await store.users.append([newer], { turnId: "t2", expectVersion: 1, key })
  await store.close()
  return folder
}

test.each([
  [
    "en",
    "! The store was updated for this version of promptstrata, and older versions will refuse it. What is new in it:\ncopies of recall indexes\n",
  ],
  ["zh-CN", "! 已为这个版本的 promptstrata 升级存储，旧版本将拒绝打开它。新增的内容：\n召回索引的副本\n"],
])("M24 a command that updates an older store says so (%s)", async (locale, told) => {
  const folder = await remembering()
  const raw = new DatabaseSync(storeFile(folder))
  raw.exec("drop table index_copies")
  raw.exec("alter table memory_scopes rename column last_deletion to epoch")
  raw.exec("update schema_versions set version = 6 where part = 'store'")
  raw.close()
  const list = ["memory", "list", ...optionsOf(folder, locale)]
  expect((await run(list, { env })).stderr).toContain(told)
  expect((await run(list, { env })).stderr).not.toContain("promptstrata")
})

test("M14 chat begins with layered, and says once how to go on with an earlier chat of fay", async () => {
  const folder = tempFolder()
  const withDefault = ["--locale", "en", "--data-dir", folder]
  await run(["chat", "fay", "--once", "hello", ...withDefault], { env })
  const told = "promptstrata chat fay"
  expect((await run(["memory", "list", ...withDefault], { env })).stderr).toContain(told)
  expect((await run(["chat", "fay", "--once", "hello", ...withDefault], { env })).stderr).not.toContain(told)
  expect((await run(["chat", "--once", "hello", ...withDefault], { env })).stderr).toContain(told)
  expect((await run(["chat", "--once", "hello", ...withDefault], { env })).stderr).not.toContain(told)
  const store = await openStore(folder)
  expect(await store.agents()).toEqual(["fay", "layered"])
  await store.close()
})

describe("promptstrata memory", () => {
  test("list prints what holds as a table, with --all what was superseded, as JSON everything that is kept", async () => {
    const folder = await remembering()
    expect(await run(["memory", "list", ...optionsOf(folder)], { env })).toEqual({
      code: 0,
      stdout: [
        "ID  TIME (UTC)        IMPORTANCE  KIND      SPEAKER  CONVERSATION  TEXT",
        "m2  2026-03-02 00:00  7           dialogue  小明     terminal      I like green tea",
        "m3  2026-03-03 00:00  7           dialogue  小明     terminal      我改喝咖啡了",
        "",
      ].join("\n"),
      stderr: "",
    })
    const all = await run(["memory", "list", "--all", ...optionsOf(folder)], { env })
    expect(all.stdout).toContain("[superseded] 我喜欢喝茉莉花茶")
    const json = await run(["memory", "list", "--json", "--limit", "1", ...optionsOf(folder)], { env })
    expect(jsonLines(json.stdout)).toMatchObject([{ id: "m3", text: "我改喝咖啡了" }])
  })

  test("search is another name of why", async () => {
    const folder = await remembering()
    const asked = ["green tea", ...optionsOf(folder, "zh-CN")]
    const { code, stdout } = await run(["memory", "search", ...asked], { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^召回 {2,}编号 {2,}得分 {2}信号/u)
    expect((await run(["memory", "why", ...asked], { env })).stdout).toBe(stdout)
    const other = await run(["memory", "search", "green tea", "--user", "bob", ...optionsOf(folder)], { env })
    const whose = "These are memories of bob. Not looked at, of other users and groups: 2. --user or --conversation names them."
    expect(other).toMatchObject({ code: 0, stdout: "", stderr: `No memories found.\n${whose}\n` })
  })

  test("why tells of each memory if a turn would recall it, by which signals, and why not", async () => {
    const folder = await remembering()
    const { code, stdout } = await run(["memory", "why", "green tea", ...optionsOf(folder)], { env })
    expect(code).toBe(0)
    const [head, first, ...others] = stdout.trimEnd().split("\n")
    expect(head).toMatch(/^RECALLED {2,}ID {2,}SCORE {2}SIGNALS {2,}TEXT/)
    expect(first).toMatch(/^yes {2,}m2 {2,}\d\.\d\d .*words \d+ %.* {2}I like green tea$/)
    expect(others.length).toBeGreaterThan(0)
    for (const line of others) expect(line).toMatch(/^no, nothing of the question {2}m\d {2}0\.00 {3}- /)
    const one = await run(["memory", "why", "green tea", "--limit", "1", ...optionsOf(folder)], { env })
    expect(one.stderr).toContain(`${others.length} more are not listed.`)
    const json = await run(["memory", "why", "green tea", "--limit", "1", "--json", ...optionsOf(folder)], { env })
    expect(jsonLines(json.stdout)).toMatchObject([
      { id: "m2", recalled: true, why: expect.arrayContaining([expect.objectContaining({ signal: "words" })]) },
    ])
    const none = await run(["memory", "why", "green tea", "--user", "bob", ...optionsOf(folder)], { env })
    expect(none).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("These are memories of bob.") })
  })

  test("why says that a turn recalls nothing where documents are the one memory", async () => {
    const folder = await remembering()
    const profile = join(tempFolder({ "plain.toml": 'extends = "soul"\n[memory]\nstore = "documents"\n' }), "plain.toml")
    const options = ["--profile", profile, "--locale", "en", "--data-dir", folder]
    const { stdout } = await run(["memory", "why", "green tea", "--limit", "1", ...options], { env })
    expect(stdout.split("\n")[1]).toMatch(/^no, documents are shown {2}m2 {2}\d\.\d\d .* {2}I like green tea$/)
    const json = await run(["memory", "why", "green tea", "--limit", "1", "--json", ...options], { env })
    expect(jsonLines(json.stdout)).toMatchObject([{ id: "m2", recalled: false }])
  })

  test("why says of which memories a turn is less confident than the profile asks", async () => {
    const folder = await remembering()
    const profile = join(tempFolder({ "plain.toml": 'extends = "layered"\n[memory]\nmin_confidence = 1\n' }), "plain.toml")
    for (const [locale, why] of [
      ["en", "no, a confidence of"],
      ["zh-CN", "否，把握只有"],
    ] as const) {
      const options = ["--profile", profile, "--locale", locale, "--data-dir", folder]
      const { stdout } = await run(["memory", "why", "green tea", "--limit", "1", ...options], { env })
      expect(stdout.split("\n")[1]).toMatch(new RegExp(`^${why} 0\\.\\d\\d {2}m2 {2,}\\d\\.\\d\\d .* {2}I like green tea$`))
    }
  })

  test("why says that a turn recalls nothing while memory is off", async () => {
    const folder = await remembering()
    const profile = join(tempFolder({ "plain.toml": 'extends = "soul"\n[memory]\nenabled = false\n' }), "plain.toml")
    const options = ["--profile", profile, "--locale", "en", "--data-dir", folder]
    const { stdout } = await run(["memory", "why", "green tea", "--limit", "1", ...options], { env })
    expect(stdout.split("\n")[1]).toMatch(/^no, memory is off {2}m2 {2}\d\.\d\d .* {2}I like green tea$/)
    const json = await run(["memory", "why", "green tea", "--limit", "1", "--json", ...options], { env })
    expect(jsonLines(json.stdout)).toMatchObject([{ id: "m2", recalled: false }])
  })

  test("show prints one memory, and says so where there is none", async () => {
    const folder = await remembering()
    const { stdout } = await run(["memory", "show", "m1", ...optionsOf(folder)], { env })
    expect(stdout).toBe(
      [
        "id             m1",
        "kind           dialogue",
        "text           我喜欢喝茉莉花茶",
        "speaker        小明 (user)",
        "conversation   terminal",
        "time           2026-03-01 08:05 (UTC)",
        "importance     7",
        "superseded by  m3",
        "",
      ].join("\n"),
    )
    const store = await openStore(folder)
    await store.memories.put(memory("m4", "Likes tea", { kind: "insight", sources: ["m1", "m2"] }), { hash: "4", key })
    await store.close()
    const drawn = await run(["memory", "show", "m4", ...optionsOf(folder)], { env })
    expect(drawn.stdout).toMatch(/^based on +m1, m2$/m)
    const missing = await run(["memory", "show", "nope", ...optionsOf(folder)], { env })
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no memory with the id nope") })
  })

  test("receipts prints the newest background work and what it cost", async () => {
    const folder = await remembering()
    const empty = await run(["memory", "receipts", ...optionsOf(folder)], { env })
    expect(empty).toMatchObject({ code: 0, stdout: "", stderr: "There is no background work yet.\n" })
    const store = await openStore(folder)
    const receipt = { key, turnId: "t1", attempt: 1, durationMs: 12, startedMs: 60_000, outcome: "ok" } as const
    const asked = { model: "m", usage: { inputTokens: 10, outputTokens: 2 } }
    await store.receipts.put({ ...receipt, kind: "importance", message: "importance 7", ...asked })
    await store.receipts.put({ ...receipt, startedMs: 60_001, kind: "store", message: "2 stored" })
    await store.close()
    const { code, stdout } = await run(["memory", "receipts", "--user", "user", ...optionsOf(folder)], { env })
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        "TIME (UTC)        KIND        OUTCOME  ATTEMPT  MS  TOKENS  USER  CONVERSATION  MESSAGE",
        "1970-01-01 00:01  importance  ok       1        12  10 + 2  user  terminal      importance 7",
        "1970-01-01 00:01  store       ok       1        12  -       user  terminal      2 stored",
        "1 model call · 10 tokens in, 2 out",
        "",
      ].join("\n"),
    )
    const json = await run(["memory", "receipts", "--json", "--limit", "1", ...optionsOf(folder)], { env })
    expect(jsonLines(json.stdout)).toMatchObject([{ kind: "store" }])
  })

  test("forget asks first; without a terminal it needs --yes", async () => {
    const folder = await remembering()
    const refused = await run(["memory", "forget", "--user", "user", ...optionsOf(folder)], { env })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("use --yes") })
    const asked = start(["memory", "forget", "--user", "user", ...optionsOf(folder)], { env, terminal: true })
    await asked.shows("[y/N]")
    asked.type("n\n")
    expect(await asked.code).toBe(0)
    expect(asked.written.stdout).toContain("Nothing was deleted.")
    expect((await run(["memory", "list", ...optionsOf(folder)], { env })).stdout).toContain("green tea")
    const done = await run(["memory", "forget", "--user", "user", "--yes", ...optionsOf(folder)], { env })
    expect(done).toMatchObject({ code: 0, stderr: expect.stringMatching(/Deleted: .*memory 3.*statement 2/u) })
    expect(await run(["memory", "list", ...optionsOf(folder)], { env })).toMatchObject({
      stdout: "",
      stderr: "Bea has no memories yet.\n",
    })
  })

  test("forget ID deletes one memory with what was drawn from it, and says if there is none", async () => {
    const folder = await remembering()
    const { stdout } = await run(["memory", "list", "--json", ...optionsOf(folder)], { env })
    const [{ id, text }] = jsonLines(stdout) as unknown as [{ id: string; text: string }]
    const refused = await run(["memory", "forget", id, ...optionsOf(folder)], { env })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(text) })
    const done = await run(["memory", "forget", id, "--yes", ...optionsOf(folder)], { env })
    expect(done).toMatchObject({ code: 0, stderr: expect.stringMatching(/Deleted: memories [1-9]/u) })
    expect((await run(["memory", "list", ...optionsOf(folder)], { env })).stdout).not.toContain(text)
    const gone = await run(["memory", "forget", id, "--yes", ...optionsOf(folder)], { env })
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining(`no memory with the id ${id}`) })
  })

  test("export and import take everything elsewhere, byte for byte, and never write over a file", async () => {
    const folder = await remembering()
    const out = join(tempFolder(), "export.jsonl")
    expect(await run(["memory", "export", "--out", out, ...optionsOf(folder)], { env })).toMatchObject({ code: 0 })
    expect(statSync(out).mode & 0o777).toBe(0o600)
    const again = await run(["memory", "export", "--out", out, ...optionsOf(folder)], { env })
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("does not exist yet") })
    const elsewhere = tempFolder()
    const imported = await run(["memory", "import", out, ...optionsOf(elsewhere)], { env })
    expect(imported).toMatchObject({ code: 0, stderr: "Imported: memory 3, user 1, statement 2.\n" })
    const { stdout } = await run(["memory", "export", ...optionsOf(elsewhere)], { env })
    expect(stdout).toBe(readFileSync(out, "utf8"))
    const piped = await run(["memory", "import", "-", ...optionsOf(tempFolder())], { env, input: stdout })
    expect(piped).toMatchObject({ code: 0, stderr: "Imported: memory 3, user 1, statement 2.\n" })
    const all = stdout.trimEnd().split("\n")
    expect(all.at(-1)).toBe(`{"table":"end","lines":${all.length - 1}}`)
    const cut = await run(["memory", "import", "-", ...optionsOf(tempFolder())], {
      env,
      input: `${all.slice(0, 3).join("\n")}\n`,
    })
    expect(cut).toMatchObject({ code: 0, stderr: expect.stringMatching(/- has no last line .*\nImported: memory 3\.\n/) })
    const torn = await run(["memory", "import", "-", ...optionsOf(tempFolder())], {
      env,
      input: [...all.slice(0, 2), ...all.slice(3)].join("\n"),
    })
    expect(torn).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`an export of ${all.length - 1} lines, of which ${all.length - 2} are there`),
    })
    const broken = await run(["memory", "import", "-", ...optionsOf(elsewhere)], { env, input: "no json\n" })
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining("line 1") })
  })

  test("without a store says so and makes none", async () => {
    const folder = tempFolder()
    const none = await run(["memory", "list", ...optionsOf(folder)], { env })
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("There is no store in") })
    expect(existsSync(join(folder, ".promptstrata"))).toBe(false)
    const off = await run(["memory", "list", "--no-store", ...optionsOf(folder)], { env })
    expect(off).toMatchObject({ code: 1, stderr: expect.stringContaining("Remove --no-store") })
  })
})

describe("promptstrata user show", () => {
  test("prints what holds of a user and what held before", async () => {
    const folder = await remembering()
    const { code, stdout } = await run(["user", "show", ...optionsOf(folder)], { env })
    expect({ code, lines: stdout.split("\n") }).toEqual({
      code: 0,
      lines: [
        "NAME  VALUE  CONFIDENCE  TIME (UTC)        CONVERSATION",
        "tea   green  90 %        1970-01-01 00:01  terminal",
        "",
        "Earlier values:",
        "NAME  VALUE    CONFIDENCE  TIME (UTC)        CONVERSATION",
        "tea   jasmine  90 %        1970-01-01 00:00  terminal",
        "",
      ],
    })
    expect(await run(["user", "show", "bob", ...optionsOf(folder)], { env })).toMatchObject({
      stderr: 'Nothing is known about the user "bob".\n',
    })
  })

  test("has no list of earlier values where none was said twice", async () => {
    const folder = await remembering()
    const store = await openStore(folder)
    const statement = { name: "city", value: "Oslo", confidence: 0.5, turnId: "t3", atMs: 1 } as const
    const ann = { ...key, user: "ann" }
    const place = { conversation: "terminal", audience: "private" } as const
    await store.users.append([{ ...statement, ...place }], { turnId: "t3", expectVersion: 0, key: ann })
    await store.close()
    const { stdout } = await run(["user", "show", "ann", ...optionsOf(folder)], { env })
    expect(stdout.trimEnd().split("\n")).toEqual([
      "NAME  VALUE  CONFIDENCE  TIME (UTC)        CONVERSATION",
      "city  Oslo   50 %        1970-01-01 00:00  terminal",
    ])
  })
})

describe("promptstrata doctor", () => {
  test("finds nothing wrong with a sound store, and backs it up", async () => {
    const folder = await remembering()
    const copy = join(tempFolder(), "copy.sqlite")
    const { code, stdout } = await run(["doctor", "--backup", copy, ...optionsOf(folder)], { env })
    expect(code).toBe(0)
    expect(stdout.split("\n").slice(1)).toEqual(["memory 3, user 1, statement 2", "No problems found.", ""])
    expect(statSync(copy).size).toBeGreaterThan(0)
  })

  test("looks at every agent of the store, and the lists of another agent say whose rows there are", async () => {
    const folder = tempFolder()
    const store = await openStore(folder)
    for (const conversation of ["tg:42", "tg:43"]) {
      const own = { ...key, agent: "layered", conversation }
      await store.memories.put(memory(`of ${conversation}`, "I like tea", own), { hash: conversation, key: own })
      const receipt = { kind: "importance", attempt: 1, durationMs: 1, startedMs: Date.now(), outcome: "failed" } as const
      await store.receipts.put({ ...receipt, key: own, turnId: conversation, message: "the server is away" })
    }
    await store.close()
    const { stdout } = await run(["doctor", ...optionsOf(folder)], { env })
    expect(stdout).toContain("the server is away")
    for (const list of ["list", "receipts"]) {
      const { stderr } = await run(["memory", list, ...optionsOf(folder)], { env })
      expect(stderr).toContain("The store also holds rows of: layered. Name the profile with --profile.")
    }
  })

  test("names a damaged row, and moves it to a file on demand, saying what is lost", async () => {
    const folder = await remembering()
    const database = new DatabaseSync(storeFile(folder))
    database.exec("update memories set body = '{' where rowid = (select min(rowid) from memories)")
    database.close()
    const first = await run(["doctor", ...optionsOf(folder)], { env })
    expect(first.code).toBe(1)
    expect(first.stdout).toMatch(/✗ memories \(agent .*the row is damaged.*lost: this memory with its vectors/u)
    const aside = join(tempFolder(), "aside.jsonl")
    const { code, stdout, stderr } = await run(["doctor", "--repair", aside, ...optionsOf(folder)], { env })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("memory 2, user 1, statement 2\nNo problems found."),
    })
    expect(stderr).toMatch(/memories \(agent .*lost: this memory with its vectors\nMoved 1 damaged rows to/u)
    expect(JSON.parse(readFileSync(aside, "utf8"))).toMatchObject({ table: "memories", body: "{" })
  })

  test("tells of jobs that failed for good and of background work that failed lately, and fails for the former", async () => {
    const folder = await remembering()
    const store = await openStore(folder, { jobs: { maxAttempts: 1 } })
    const receipt = { key, kind: "importance", attempt: 1, durationMs: 1, startedMs: 0 } as const
    await store.receipts.put({ ...receipt, turnId: "t1", outcome: "parse-error", message: 'no number in "well"' })
    await store.receipts.put({ ...receipt, turnId: "t2", outcome: "ok" })
    const job = { id: "j1", kind: "memory", key, turnId: "t1", atMs: 0, payload: {} }
    await store.commit(key, { expectVersion: 0, append: [], state: {}, jobs: [job] })
    await store.jobs.start({ memory: () => Promise.reject(new Error("the server is away")) })
    await store.jobs.idle()
    await store.close()
    const { code, stdout } = await run(["doctor", ...optionsOf(folder)], { env })
    expect(code).toBe(1)
    expect(stdout).toContain("✗ jobs: 1 failed for good")
    expect(stdout).toMatch(/memory {2}user {2}terminal {6}1 {9}the server is away/u)
    expect(stdout).toMatch(/importance {2}parse-error {2}1 {8}user {2}no number in "well"/u)
    const json = await run(["doctor", "--json", ...optionsOf(folder)], { env })
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      dead: [{ error: "the server is away" }],
      failed: [{ turnId: "t1" }],
    })
  })
})

describe("chat", () => {
  test("goes on where the last run ended, and says so; --no-store begins anew and keeps nothing", async () => {
    const folder = tempFolder()
    const chat = ["chat", plainProfile, "--locale", "en", "--data-dir", folder]
    const first = scriptedModel([finish("Nice to meet you.")])
    expect(await run([...chat, "--once", "I am Ann."], { env, model: first })).toMatchObject({ code: 0 })

    const second = scriptedModel([finish("You are Ann.")])
    const talk = start(chat, { env, model: second, terminal: true })
    await talk.shows("Continuing after 2 earlier messages")
    talk.type("Who am I?\n")
    await talk.shows("You are Ann.")
    talk.end()
    expect(await talk.code).toBe(0)
    expect(JSON.stringify(second.requests[0]?.messages)).toContain("I am Ann.")

    const third = scriptedModel([finish("I do not know.")])
    expect(await run([...chat, "--no-store", "--once", "Who am I?"], { env, model: third })).toMatchObject({ code: 0 })
    expect(JSON.stringify(third.requests[0]?.messages)).not.toContain("I am Ann.")
    const { stdout } = await run(["memory", "export", ...optionsOf(folder)], { env })
    expect(jsonLines(stdout).filter(({ table }) => table === "message")).toHaveLength(4)
  })

  test("left with Ctrl-C in mid-answer leaves a store that is sound, and jobs that the next run may do at once", async () => {
    // Without memory only turns ask the model.
    const folder = tempFolder({ "plain.toml": `${readFileSync(plainProfile, "utf8")}\n[memory]\nenabled = false\n` })
    const chat = ["chat", join(folder, "plain.toml"), "--locale", "en", "--data-dir", folder]
    const model = scriptedModel([finish("First answer."), [{ stallUntilAborted: true }]])
    const talk = start(chat, { env, model, terminal: true })
    await talk.shows("You: ")
    talk.type("one\n")
    await talk.shows("First answer.")
    await talk.shows("You: ", 2)
    talk.type("two\n")
    await expect.poll(() => model.requests.length, { interval: 1 }).toBe(2)
    talk.interrupt()
    talk.interrupt()
    expect(await talk.code).toBe(130)
    const store = await openStore(folder)
    expect(await store.check()).toMatchObject({ ok: true, counts: { session: 1, message: 3 } })
    const done: string[] = []
    const job = { id: "j", kind: "work", key, turnId: "t", atMs: 0, payload: {} }
    await store.commit(key, { expectVersion: 1, append: [], state: {}, jobs: [job] })
    await store.jobs.start({ work: async ({ id }) => void done.push(id) }, { agent })
    await store.jobs.idle()
    expect(done).toEqual(["j"])
    await store.close()
  })

  test("render looks at the next prompt of that conversation, and makes no store", async () => {
    const folder = tempFolder()
    const render = ["render", plainProfile, "--locale", "en", "--data-dir", folder, "--question", "Who am I?"]
    expect((await run(render, { env })).stdout).not.toContain("I am Ann.")
    expect(existsSync(join(folder, ".promptstrata"))).toBe(false)
    const model = scriptedModel([finish("Nice to meet you.")])
    await run(["chat", plainProfile, "--locale", "en", "--data-dir", folder, "--once", "I am Ann."], { env, model })
    expect((await run(render, { env })).stdout).toContain("I am Ann.")
  })

  test("of a store that cannot be opened the run says why and where", async () => {
    const folder = tempFolder({ ".promptstrata/store.sqlite": "not a database, but long enough to look at\n".repeat(50) })
    const { code, stderr } = await run(["chat", plainProfile, "--data-dir", folder, "--once", "hi"], {
      env,
      model: scriptedModel([]),
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/store\.sqlite failed: file is not a database/u)
  })
})
