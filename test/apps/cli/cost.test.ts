import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import type { HistoryMessage, ModelCalls, ServiceKey } from "../../../src/core/conversation.ts"
import { displayWidth } from "../../../src/core/display-width.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { plainProfile, run } from "./run.ts"

/** Uses the store in the data folder. */
const env = { PROMPTSTRATA_STORE: "" }
const key: ServiceKey = { agent: "plain", conversation: "terminal", audience: "private", user: "user" }
const group = { ...key, conversation: "family", audience: "group", user: "ann" } as const
const day = (date: number) => Date.UTC(2026, 2, date, 8, 5)
const mini = "openai:gpt-5-mini"

function turn(turnId: string, user: string, atMs: number, calls?: readonly ModelCalls[]): readonly HistoryMessage[] {
  const spent = calls && { user, calls, layers: { persona: 30, "": 10, memories: 60 } }
  const said = { role: "user", text: `Hello \u001b[31m${turnId}`, speaker: { id: user, name: user }, turnId, atMs } as const
  const answer = { ...said, role: "assistant", text: "Hi.", speaker: { id: "plain", name: "Bea" } } as const
  return [{ ...said, ...(spent && { spent }) }, answer]
}

/** Turns and background work of two users, models with a price and without, an older turn, and one that was set aside. */
async function filled(): Promise<string> {
  const folder = tempFolder()
  const store = await openStore(folder)
  const usage = { inputTokens: 1_000_000, inputCacheReadTokens: 400_000, outputTokens: 100_000 }
  const child = { model: "local:llama", child: "tools\u001b[2J", calls: 3, usage: { inputTokens: 500, outputTokens: 50 } }
  const append = [
    ...turn("t0", "user", day(1)),
    ...turn("t1", "user", day(1), [{ model: mini, calls: 2, unknown: 1, usage }, child]),
    ...turn("t2", "user", day(2), [{ model: mini, calls: 1, usage }]),
  ]
  await store.commit(key, { expectVersion: 0, append, state: {}, jobs: [] })
  await store.commit(key, { expectVersion: 1, append: [], after: "t1", state: {}, jobs: [] })
  const own = turn("t3", "ann", day(3), [{ model: "x:free", calls: 1, usage: { inputTokens: 9, costUsd: 0.25 } }])
  await store.commit(group, { expectVersion: 0, append: own, state: {}, jobs: [] })
  const work = { turnId: "t1", durationMs: 1, outcome: "ok" } as const
  const asked = { model: mini, usage: { inputTokens: 2_000_000, outputTokens: 0 } }
  await store.receipts.put({ ...work, key, kind: "importance", attempt: 2, startedMs: day(2), ...asked })
  await store.receipts.put({ ...work, key: group, kind: "reflect", attempt: 1, startedMs: day(3), model: mini })
  await store.receipts.put({ ...work, key, kind: "store", attempt: 1, startedMs: day(2) })
  await store.close()
  return folder
}

const cost = async (folder: string, more: readonly string[], options: Parameters<typeof run>[1] = {}) =>
  run(["cost", "--profile", plainProfile, "--data-dir", folder, ...more], { ...options, env: { ...env, ...options.env } })

describe("T55 the sums of a store", () => {
  test("hold each turn, also one set aside, each child agent and each background job once, and tell what is unknown", async () => {
    const { code, stdout } = await cost(await filled(), ["--json"])
    const { total, work, models, users, days, layers, unknownTurns } = JSON.parse(stdout)
    const usd = (sums: Record<string, { usd: number }>) =>
      Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum.usd]))
    // A turn: 0.6 at 0.25, 0.4 at 0.025, and 0.1 of output at 2.
    expect([code, total]).toEqual([
      0,
      {
        ...{ calls: 10, unknown: 2, unpriced: 5, usd: expect.closeTo(0.36 * 2 + 0.5 + 0.25) },
        usage: { inputTokens: 4_000_509, inputCacheReadTokens: 800_000, outputTokens: 200_050, costUsd: 0.25 },
      },
    ])
    expect(usd(work)).toEqual({
      ...{ turn: expect.closeTo(0.36 * 2 + 0.25), importance: expect.closeTo(0.5), reflect: 0, "child tools\u001b[2J": 0 },
    })
    expect(usd(models)).toEqual({ [mini]: expect.closeTo(1.22), "x:free": 0.25, "local:llama": 0 })
    expect(usd(users)).toEqual({ user: expect.closeTo(1.22), ann: 0.25 })
    expect(usd(days)).toEqual({ "2026-03-03": 0.25, "2026-03-02": expect.closeTo(0.86), "2026-03-01": expect.closeTo(0.36) })
    expect(layers).toEqual({ memories: 180, persona: 90, "": 30 })
    expect(unknownTurns).toBe(1)
  })

  test("are those of one user or conversation where one is named", async () => {
    const folder = await filled()
    const callsOf = async (...scope: string[]) => JSON.parse((await cost(folder, ["--json", ...scope])).stdout).total.calls
    expect([await callsOf("--user", "ann"), await callsOf("--conversation", "terminal")]).toEqual([2, 8])
    expect((await cost(folder, ["--user", "ann", "--conversation", "terminal"])).code).toBe(2)
  })

  test("of a store without usage are none, and not 0", async () => {
    const folder = tempFolder()
    const store = await openStore(folder)
    await store.commit(key, { expectVersion: 0, append: turn("t0", "user", 0), state: {}, jobs: [] })
    await store.close()
    const { stdout, stderr } = await cost(folder, [])
    expect([stdout, stderr]).toEqual([
      "",
      expect.stringMatching(/No usage of a model is stored yet[\s\S]*no usage is known: 1\./),
    ])
  })

  test("are of the days of the profile's time zone, and have no empty table of layers", async () => {
    const folder = tempFolder()
    const store = await openStore(folder)
    const calls = [{ model: mini, calls: 1, usage: {} }]
    const [said, answer] = turn("t1", "user", Date.UTC(2026, 2, 1, 20), calls)
    const spent = { user: "user", calls, layers: {} }
    await store.commit(key, {
      expectVersion: 0,
      append: [{ ...said, spent } as HistoryMessage, answer as HistoryMessage],
      state: {},
      jobs: [],
    })
    await store.close()
    const profile = join(folder, "shanghai.toml")
    writeFileSync(profile, `time_zone = "Asia/Shanghai"\n[agent]\nid = "plain"\n`)
    const { stdout, stderr } = await run(["cost", "--profile", profile, "--data-dir", folder], { env })
    expect(stderr).not.toContain("error:")
    expect(stdout).toContain("DAY (Asia/Shanghai)")
    expect(stdout).toContain("2026-03-02")
    expect(stdout).not.toContain("LAYER")
  })

  test.each(["en", "zh-CN"])("are tables that a person can read, on a terminal of any width (%s)", async (locale) => {
    const folder = await filled()
    const shown: string[] = []
    for (const columns of [60, 80, 200]) {
      const { stdout, stderr } = await cost(folder, ["--locale", locale], { terminal: true, columns })
      expect(`${stdout}${stderr}`.split("\n").filter((line) => displayWidth(line) > columns)).toEqual([])
      for (const control of ["\u001b[31m", "\u001b[2J"]) expect(`${stdout}${stderr}`).not.toContain(control)
      shown.push(`${columns}\n${stdout}${stderr}`)
    }
    await expect(shown.join("\n")).toMatchFileSnapshot(`__snapshots__/cost-${locale}.txt`)
  })

  test("take rows that another program wrote into an import as they are", async () => {
    const folder = tempFolder()
    const store = await openStore(folder)
    const odd = [
      { calls: 1 },
      { calls: [{ model: 1, usage: {} }], layers: {} },
      { calls: [{ model: "m", usage: { inputTokens: -1 }, calls: "x" }], layers: { a: "b" } },
      "x",
    ]
    const append = odd.flatMap((spent, at) =>
      turn(`t${at}`, "user", at === 2 ? 9e15 : 0).map((message) => ({ ...message, spent }) as never),
    )
    await store.commit(key, { expectVersion: 0, append, state: {}, jobs: [] })
    await store.close()
    expect((await cost(folder, [])).code).toBe(0)
  })
})

describe("T56 prices", () => {
  test("are those of a file in place of the package's, and a model without one is named", async () => {
    const folder = await filled()
    const file = join(folder, "prices.json")
    writeFileSync(file, '{ "llama": { "input": 1000, "output": 0 } }')
    const { stdout, stderr } = await cost(folder, ["--prices", file])
    expect(stdout).toMatch(/0\.5000 +3 .*child agent tools/)
    expect(stderr).toContain("No price is known for openai:gpt-5-mini.")
    expect(stderr).not.toContain("Prices as of")
  })

  test.each([
    ['{\n  "m": { "input": 1, "output": -2 } }', ':2:22 for "m" to have a number from 0 as `output`, found -2.'],
    ['{\n  "m": { "input": 1, "output": 2 },\n  "n": 3 }', ':3:3 for "n" to have `input` and `output`, found 3.'],
    [
      '{ "m": { "input": 1,\n "output": 2, "cached": 2 } }',
      ':2:15 for "m" to have input, output, cacheRead, cacheWrite, asOf, found "cached".',
    ],
    [
      '{ "m": { "input": 1, "output": 2, "asOf": "soon" } }',
      ':1:35 for "m" to have a date such as 2026-11 as `asOf`, found "soon".',
    ],
    ['{ "m": { "input": 1e999, "output": 2 } }', ':1:10 for "m" to have a number from 0 as `input`, found Infinity.'],
    ["[]", ":1:1 to name models, found []."],
  ])("that are none are refused with their place: %s", async (text, message) => {
    const folder = await filled()
    const file = join(folder, "prices.json")
    writeFileSync(file, text)
    const { code, stderr, stdout } = await cost(folder, ["--prices", file])
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(`Expected ${file}${message}`)])
  })
})

test("T58 what each user may still use today follows from what the store has of the day", async () => {
  const folder = await filled()
  const store = await openStore(folder)
  const spent = {
    user: "ann",
    calls: [{ model: mini, calls: 1, usage: { inputTokens: 1_000_000, outputTokens: 0 } }],
    layers: {},
  }
  const own = {
    key: group,
    turnId: "t8:1",
    kind: "turn",
    outcome: "ok",
    attempt: 1,
    startedMs: Date.now(),
    durationMs: 1,
  } as const
  await store.receipts.put({ ...own, value: { turn: "t8", spent } })
  await store.close()
  const profile = join(tempFolder(), "limited.toml")
  writeFileSync(
    profile,
    `extends = "${plainProfile}"\n[agent]\nid = "plain"\n[limits]\ndaily_tokens = 1500000\ndaily_usd = 0.3\n`,
  )
  const { stdout } = await run(["cost", "--profile", profile, "--data-dir", folder, "--json"], { env })
  expect(JSON.parse(stdout).left).toEqual({
    ann: { tokens: 500_000, usd: expect.closeTo(0.05) },
    user: { tokens: 1_500_000, usd: 0.3 },
  })
  const table = await run(["cost", "--profile", profile, "--data-dir", folder], { env })
  expect(table.stdout).toMatch(/TOKENS LEFT TODAY\s+USD LEFT TODAY\s+USER\n1500000\s+0\.3000\s+user\n500000\s+0\.0500\s+ann/)
})
