import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createUserProfileService } from "../../../src/memory/services/create-user-profile-service.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { ProfileStatement } from "../../../src/memory/services/store/records.ts"
import { userProfileText } from "../../../src/memory/services/user-profile.ts"
import { shippedDialectNames } from "../../../src/prompt/dialect/shipped.ts"
import { testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const

function statement(name: string, value: string, rest: Partial<ProfileStatement> = {}): ProfileStatement {
  return { name, value, confidence: 0.8, atMs: 0, turnId: `turn ${value}`, conversation: "talk", audience: "private", ...rest }
}

describe("createUserProfileService", () => {
  test("the newest statement holds and what contradicts it stays as history, the newest first", async () => {
    const service = createUserProfileService({ records: createInMemoryStore().users })
    await service.put(
      [statement("city", "Hangzhou", { atMs: 1 }), statement("job", "cook", { atMs: 1, turnId: "turn Hangzhou" })],
      0,
      key,
    )
    await service.put([statement("City ", "Beijing", { atMs: 3 })], 1, key)
    await service.put([statement("city", "Paris", { atMs: 2 })], 2, key)
    const { version, fields, history } = await service.get(key)
    expect(version).toBe(3)
    expect(fields.map(({ value }) => value)).toEqual(["Beijing", "cook"])
    expect(history.map(({ value }) => value)).toEqual(["Paris", "Hangzhou"])
  })

  test("M17 names of one relation are one field, so that two homes never hold; a job may be an occupation", async () => {
    const service = createUserProfileService({ records: createInMemoryStore().users })
    const names = ["city", "Home", "job", "workplace", "address", "lives_in", "住处"]
    for (const [at, name] of names.entries()) await service.put([statement(name, `v${at}`, { atMs: at })], at, key)
    const { fields, history } = await service.get(key)
    expect(fields.map(({ name, value }) => `${name}=${value}`)).toEqual(["address=v4", "job=v2", "workplace=v3", "住处=v6"])
    expect(history.map(({ value }) => value)).toEqual(["v5", "v1", "v0"])
  })

  test("M17 a field that has ended holds no value until a new one is stated, and says so in its history", async () => {
    const service = createUserProfileService({ records: createInMemoryStore().users })
    await service.put([statement("company", "Siemens", { atMs: 1 })], 0, key)
    await service.put([statement("company", "Siemens", { atMs: 2, ended: true, turnId: "t2" })], 1, key)
    const { fields, history } = await service.get(key)
    expect([fields, history.map(({ ended, atMs }) => [ended, atMs])]).toEqual([
      [],
      [
        [true, 2],
        [undefined, 1],
      ],
    ])
    await service.put([statement("workplace", "Globex", { atMs: 3 })], 2, key)
    expect((await service.get(key)).fields.map(({ value }) => value)).toEqual(["Globex"])
  })

  test("T34 blank statements never take the place of what is known", async () => {
    const service = createUserProfileService({ records: createInMemoryStore().users })
    await service.put([statement("city", "Hangzhou")], 0, key)
    expect(await service.put([statement("city", " ", { atMs: 9, turnId: "t" })], 1, key)).toEqual({ version: 1, applied: false })
    expect((await service.get(key)).fields.map(({ value }) => value)).toEqual(["Hangzhou"])
  })
})

describe("userProfileText", () => {
  test("prints the newest and surest fields first, and keeps them whole where all do not fit", () => {
    const day = 86_400_000
    const fields = [
      statement("age", "x".repeat(30), { atMs: 0 }),
      statement("city", "y".repeat(30), { atMs: 50 * day }),
      statement("job", "z".repeat(30), { confidence: 0.1, atMs: 60 * day }),
    ]
    expect(
      userProfileText({ fields }, 80)
        .split("\n")
        .map((line) => line.slice(0, 4)),
    ).toEqual(["city", "age:"])
    expect(userProfileText({ fields }, 200).match(/^\w+/gm)).toEqual(["city", "age", "job"])
    expect(userProfileText({ fields }, 40)).toBe(`city: ${"y".repeat(30)}`)
    expect(userProfileText({ fields }, 36)).toBe(`city: ${"y".repeat(30)}`)
    expect(userProfileText({ fields }, 0)).toBe("")
  })

  test("is never longer than asked, one line a field, and cuts no grapheme", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), fc.integer({ min: 0, max: 1_000 }), (pairs, max) => {
        const fields = pairs.map(([name, value], at) => statement(`${at}${name}`, value))
        const shown = userProfileText({ fields }, max)
        expect(shown.length).toBeLessThanOrEqual(max)
        expect(shown.isWellFormed()).toBe(true)
        expect(shown === "" ? 0 : shown.split("\n").length).toBeLessThanOrEqual(fields.length)
      }),
    )
  })
})

const said = {
  name: "city",
  value: "Hangzhou",
  confidence: 0.8,
  atMs: 1,
  turnId: "t",
  conversation: "test",
  audience: "private",
} as const

describe("what a user said of themselves", () => {
  test.each(shippedDialectNames().flatMap((dialect) => ["en", "zh-CN"].map((locale) => ({ dialect, locale }))))(
    "stands once in the prompt of $dialect ($locale), as memory's words, while the memory is on",
    async ({ dialect, locale }) => {
      const store = createInMemoryStore()
      const { agent, session } = testAgent(backgroundModel(), { dialect, locale }, { store })
      await store.users.append([said], { turnId: "t", expectVersion: 0, key: { ...session.key, user: session.key.conversation } })
      const shown = async (): Promise<string[]> => {
        const { spans } = await session.preview("hello", dialect === "stack" ? { prompt: "chat" } : {})
        return spans.filter(({ text }) => text.includes("city: Hangzhou")).map(({ trust }) => trust)
      }
      expect(await shown()).toEqual(["memory"])
      await session.setMemory(false)
      expect(await shown()).toEqual([])
      await agent.idle()
    },
  )

  test("never outgrows its limit", async () => {
    const store = createInMemoryStore()
    const { session } = testAgent(backgroundModel(), { memory: { profileCharacters: 40 } }, { store })
    const many = Array.from({ length: 30 }, (_, at) => ({ ...said, name: `field ${at}`, value: `value ${at}` }))
    await store.users.append(many, { turnId: "t", expectVersion: 0, key: { ...session.key, user: session.key.conversation } })
    const { spans } = await session.preview("hello")
    const text = spans
      .filter(({ text }) => text.includes("field "))
      .map(({ text }) => text)
      .join("")
    expect(text.length > 0 && text.length <= 40).toBe(true)
  })

  test("T34 facts that are shortened or left out are a warning of the turn", async () => {
    const warningsFor = async (profileCharacters: number, ...fields: ProfileStatement[]) => {
      const store = createInMemoryStore()
      const { session } = testAgent(backgroundModel(), { memory: { profileCharacters } }, { store })
      await createUserProfileService({ records: store.users }).put(fields, 0, { ...session.key, user: session.key.conversation })
      const { trace } = await session.send("Hi").result
      return trace.warnings.filter(({ message }) => message.includes("facts about the user"))
    }
    const [city, diary] = [statement("city", "Paris", { turnId: "t" }), statement("diary", "long ".repeat(60), { turnId: "t" })]
    expect(await warningsFor(1_000, city)).toEqual([])
    expect(await warningsFor(1_000, city, diary)).toMatchObject([
      { kind: "hook", message: expect.stringContaining("1 are shortened") },
    ])
    expect(await warningsFor(4, city, diary)).toMatchObject([
      { message: expect.stringContaining("2 are shortened or left out of the prompt: city, diary") },
    ])
  })
})
