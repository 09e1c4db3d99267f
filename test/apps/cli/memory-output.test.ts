import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import type { ServiceKey } from "../../../src/core/conversation.ts"
import type { StoredMemory } from "../../../src/memory/services/store/records.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { plainProfile, run } from "./run.ts"

/** Uses the store in the data folder. */
const env = { PROMPTSTRATA_STORE: "" }
const key: ServiceKey = { agent: "plain", conversation: "terminal", audience: "private", user: "user" }
const group: ServiceKey = { ...key, conversation: "family", audience: "group", user: "ann" }

/** Memories with every field that is printed, more than a chat lists, of two users and a group. */
async function filled(): Promise<string> {
  const folder = tempFolder()
  const store = await openStore(folder)
  const put = async (id: string, text: string, more: Partial<StoredMemory> = {}, own = key) => {
    const speaker = { id: own.user, name: own.user === "user" ? "小明" : "Ann\u001b[31m" }
    const atMs = Date.UTC(2026, 2, 1, 8, 5) + 60_000 * Number(id.slice(1))
    const said = { ...own, id, kind: "dialogue", text, speaker, atMs, turnId: `turn of ${id}`, turn: 0, ...more } as const
    await store.memories.put(said, { hash: id, key: own })
  }
  for (let at = 1; at <= 25; at++)
    await put(`m${at}`, at % 5 === 0 ? `Tea number ${at}` : `Word ${at}`, at % 2 === 0 ? { importance: at % 10 } : {})
  const keys = { words: ["tram", "commute"], subject: "Ann", relation: "home", dates: ["2026-03-04"], by: "m" }
  await put("m30", `${"Long ".repeat(60)}\nend`, {
    kind: "note",
    untrusted: true,
    againAtMs: [0, 60_000],
    usedAtMs: 1,
    updates: ["m1", "m2"],
    keys,
  })
  const facts = [
    { subject: "Ann", relation: "home", value: "Oslo" },
    { subject: "Ann", relation: "workplace" },
  ]
  await put("m31", "Insight", { kind: "insight", sources: ["m1", "m3"], importance: 0, keys: { words: ["a"], facts, by: "m" } })
  await put("m40", "Tea of the group", { importance: 5 }, group)
  const superseding: StoredMemory = {
    ...key,
    id: "m41",
    kind: "dialogue",
    text: "Newer",
    speaker: { id: "user", name: "小明" },
    atMs: Date.UTC(2026, 3, 1),
    turnId: "t",
    turn: 1,
  }
  await store.memories.put(superseding, { hash: "m41", supersedes: ["m1"], key })
  const statement = { name: "tea", confidence: 0.875, turnId: "t1", conversation: "terminal", audience: "private" } as const
  await store.users.append(
    [
      { ...statement, value: "jasmine", atMs: 1 },
      { ...statement, name: "city", value: "Oslo", atMs: 2 },
    ],
    { turnId: "t1", expectVersion: 0, key },
  )
  await store.users.append([{ ...statement, value: "green", atMs: 60_000, turnId: "t2" }], {
    turnId: "t2",
    expectVersion: 1,
    key,
  })
  const receipt = { turnId: "t1", attempt: 1, durationMs: 12.5, startedMs: 60_000 } as const
  const outcomes = ["ok", "failed", "timeout", "parse-error"] as const
  for (const [at, outcome] of outcomes.entries()) {
    const usage = at === 0 ? { inputTokens: 10, outputTokens: 2 } : at === 1 ? { inputTokens: 1 } : undefined
    const asked = usage === undefined ? {} : { model: "m", usage }
    await store.receipts.put({
      ...receipt,
      key: at === 3 ? group : key,
      kind: `kind ${at}`,
      outcome,
      attempt: at,
      startedMs: 60_000 * at,
      ...(at === 2 ? {} : { message: `message ${at}` }),
      ...asked,
    })
  }
  const job = { id: "j1", kind: "memory", key, turnId: "t1", atMs: 0, payload: {} }
  await store.commit(key, { expectVersion: 0, append: [], state: {}, jobs: [job] })
  await store.close()
  return folder
}

/** Recall's numbers follow its weights; the table around them stays. */
const masked = (text: string) =>
  text
    .replace(/\d+\.\d{3,}/g, "#")
    .replace(/\d\.\d\d(?= )/g, "#.##")
    .replace(/(?:[a-z]+ \d+ %(?:, )?)+ */g, "SIGNALS ")

test.each(["en", "zh-CN"])("each command about memories prints this (%s)", async (locale) => {
  const folder = await filled()
  const recalling = `${readFileSync(plainProfile, "utf8")}\n[memory]\nrecall_limit = 8\n`
  const profile = join(tempFolder({ "plain.toml": recalling }), "plain.toml")
  const shown: string[] = []
  const commands = [
    ...[
      "memory list",
      "memory list --all --limit 100",
      "memory list --limit 2",
      "memory list --user ann",
      "memory list --user bob",
      "memory list --conversation family",
      "memory list --json --limit 1",
    ],
    ...["memory search tea", "memory why tea --json --limit 1"],
    ...[
      "memory why tea",
      "memory why tea --limit 7",
      "memory why tea --limit 1",
      "memory why tea --conversation family --user ann",
      "memory why tea --user bob",
    ],
    ...["memory show m1", "memory show m30", "memory show m31", "memory show m40", "memory show none", "memory show m31 --json"],
    ...[
      "memory receipts",
      "memory receipts --limit 1",
      "memory receipts --user ann",
      "memory receipts --user bob",
      "memory receipts --conversation family",
      "memory receipts --json --limit 1",
    ],
    ...[
      "user show",
      "user show bob",
      "user show --json",
      "doctor",
      "memory forget",
      "memory forget --user ann",
      "memory forget --conversation family",
      "memory forget m2",
      "memory forget none",
    ],
    ...[
      "memory forget m2 --yes",
      "memory forget --user ann --yes",
      "memory forget --user ann --yes",
      "memory forget --conversation family --yes",
      "memory forget --yes",
      "memory forget --yes",
      "memory list",
      "memory receipts",
      "doctor",
    ],
  ]
  for (const command of commands) {
    const options = ["--profile", profile, "--locale", locale, "--data-dir", folder]
    const { code, stdout, stderr } = await run([...command.split(" "), ...options], { env })
    const numbers = /search|why/.test(command) ? masked : (text: string) => text
    shown.push(`$ ${command}\n${numbers(stdout)}${stderr === "" ? "" : `stderr: ${stderr}`}(${code})\n`)
  }
  expect(shown.join("\n").replaceAll(folder, "FOLDER")).toMatchSnapshot()
})

test.each([
  ["en", "Bea has no memories of nobody.\n"],
  ["zh-CN", "Bea 没有 nobody 的记忆。\n"],
])("an empty list of one user does not say that there are no memories at all, in %s", async (locale, told) => {
  const options = ["--profile", plainProfile, "--locale", locale, "--data-dir", await filled()]
  expect((await run(["memory", "list", "--user", "nobody", ...options], { env })).stderr).toBe(told)
  expect((await run(["memory", "list", "--conversation", "nobody", ...options], { env })).stderr).toBe(told)
})

test("tables tell times in the profile's time zone", async () => {
  const options = ["--profile", `${tempFolder({ "plain.toml": 'locale = "en"\ntime_zone = "Asia/Shanghai"\n' })}/plain.toml`]
  const told = [...options, "--data-dir", await filled()]
  const list = await run(["memory", "list", "--limit", "1", ...told], { env })
  expect(list.stdout).toMatch(/^ID {3}TIME \(Asia\/Shanghai\) .*\nm41 {2}2026-04-01 08:00 /)
  expect((await run(["memory", "receipts", ...told], { env })).stdout).toMatch(
    /^TIME \(Asia\/Shanghai\) .*\n\d{4}-\d\d-\d\d \d\d:\d\d /,
  )
  expect((await run(["user", "show", ...told], { env })).stdout).toMatch(/TIME \(Asia\/Shanghai\).*\n.* 1970-01-01 08:0\d /)
  expect((await run(["doctor", ...told], { env })).stdout).toContain("TIME (Asia/Shanghai)")
  expect((await run(["memory", "show", "m30", ...told], { env })).stdout).toContain(
    "2026-03-01 16:35, 1970-01-01 08:00, 1970-01-01 08:01 (Asia/Shanghai)",
  )
})
