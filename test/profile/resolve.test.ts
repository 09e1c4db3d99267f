import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import { defaultRecallWeights } from "../../src/memory/services/recall/recall-weights.ts"
import type { ProfileInput } from "../../src/profile/profile.ts"
import { profileKeys } from "../../src/profile/profile-keys.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { keysIn } from "../support/declared-keys.ts"

function errorOf(input: ProfileInput): PromptStrataError {
  try {
    resolveProfile(input)
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return error
  }
  throw new Error("resolveProfile did not throw")
}

describe("resolveProfile", () => {
  test("an empty input is a whole profile with the chosen defaults (T16, T26, T30)", () => {
    expect(resolveProfile()).toEqual({
      name: "default",
      locale: "en",
      conversation: {
        ...{ agentAnswers: 3, mergeMs: 0, interrupt: "queue", wakesPerUser: 50 },
        ...{ cacheKeepAlive: 0, cacheKeepAliveMs: 270_000 },
      },
      dialect: "layered",
      agent: { id: "default", name: "default" },
      user: { name: "User" },
      persona: { text: "", trust: "author" },
      variables: {},
      skills: [],
      plugins: [],
      context: { off: [], older: "drop", sessionMarkers: false, olderCharacters: 120 },
      output: { bubbles: false },
      files: { hardLinks: "refuse", formats: expect.arrayContaining(["txt", "png"]) },
      loop: { mode: "json", maxSteps: 12, strict: false, responseFormat: "auto" },
      retry: { maxAttempts: 3, baseDelayMs: 500, maxDelayMs: 20_000 },
      limits: {
        firstTokenMs: 60_000,
        betweenChunksMs: 30_000,
        toolMs: 30_000,
        prestartMs: 5_000,
        stepMs: 120_000,
        turnMs: 300_000,
        confirmMs: 600_000,
        approvalMs: 604_800_000,
        answerCharacters: 1_000_000,
      },
      history: { toolRuns: "auto", keepFailed: true, contextCount: 20, attachments: 4, window: "steps" },
      budget: { answerTokens: 1_000, stepTokens: 2_000 },
      tools: {
        enabled: [],
        builtin: [],
        prestartOnly: [],
        maxResultCharacters: 10_000,
        rules: {},
        mentions: false,
        whileAsked: "withdraw",
      },
      processes: {},
      observers: {},
      prestart: [],
      model: {},
      memory: {
        enabled: true,
        store: "records",
        recallLimit: 8,
        minConfidence: 0,
        recallTokens: 400,
        rerankMs: 1_500,
        importanceThreshold: 5,
        keys: true,
        reflectEvery: 20,
        stepMs: 120_000,
        profileCharacters: 1_000,
      },
      recallWeights: defaultRecallWeights,
      mcp: { servers: {} },
      prices: {},
      final: {},
    })
  })

  test("what is set is kept, and what stands beside it in the same table keeps its default", () => {
    const profile = resolveProfile({
      name: "mei",
      locale: "zh-CN",
      agent: { name: "小梅" },
      persona: "你是小梅。",
      format: { text: "用一句话。", trust: "author", source: { file: "f.md", line: 1 } },
      loop: { maxSteps: 3 },
      prestart: [{ tool: "clock" }],
      final: { system: "说人话。" },
    })
    expect(profile).toMatchObject({
      agent: { id: "mei", name: "小梅" },
      user: { name: "用户" },
      persona: { text: "你是小梅。", trust: "author" },
      format: { source: { file: "f.md" } },
      loop: { maxSteps: 3, strict: false },
      prestart: [{ tool: "clock", args: {}, includeHistory: false }],
      final: { system: { text: "说人话。", trust: "author" } },
    })
  })

  test("`undefined` sets nothing", () => {
    const input = JSON.parse('{"loop":{}}') as { loop: Record<string, unknown> }
    input.loop.maxSteps = undefined
    expect(resolveProfile(input)).toEqual(resolveProfile())
  })

  test("there are living documents only where the profile says so, with the rest of their settings by default (D4, D5, D8)", () => {
    expect(resolveProfile().documents).toBeUndefined()
    expect(resolveProfile({ documents: { folder: "/w", placement: "user" } }).documents).toEqual({
      folder: "/w",
      placement: "user",
      maxCharacters: 20_000,
      minShare: 0.1,
      nearlyEmptyCharacters: 100,
      nearLimitShare: 0.8,
    })
  })

  test("a small token budget reserves a quarter for the answer and a quarter for later steps, unless it says otherwise", () => {
    expect(resolveProfile({ budget: { tokens: 1_000 } }).budget).toEqual({ tokens: 1_000, answerTokens: 250, stepTokens: 250 })
    expect(resolveProfile({ budget: { tokens: 100_000 } }).budget).toMatchObject({ answerTokens: 1_000, stepTokens: 2_000 })
    expect(resolveProfile({ budget: { tokens: 1_000, answerTokens: 900 } }).budget.answerTokens).toBe(900)
  })

  test("every number out of its bounds and every blank name is named, in one error", () => {
    const error = errorOf({
      name: "mei",
      agent: { name: " " },
      loop: { maxSteps: 0 },
      limits: { turnMs: Number.NaN, stepMs: 2 ** 31 },
      prestart: [{ tool: "a" }, { tool: "b", timeoutMs: 1.5 }],
    })
    expect(error.message).toMatchInlineSnapshot(
      `"Profile "mei": agent.name: expected a name, found " "; loop.maxSteps: expected a whole number from 1 to 1000, found 0; limits.stepMs: expected a whole number from 1 to 2147483647, found 2147483648; limits.turnMs: expected a whole number from 1 to 2147483647, found NaN; prestart[1].timeoutMs: expected a whole number from 1 to 2147483647, found 1.5."`,
    )
    expect(error.code === "profile" && error.evidence.problems).toHaveLength(5)
  })

  // Their tables are in lists, or under names of the user's own.
  const others = ["prestart", "mcp", "processes", "observers"]
  const numbers = keysIn(profileKeys.keys).flatMap(({ path: [table = "", key = ""], key: { type } }) =>
    type.kind === "number" && !others.includes(table) ? [{ path: `${table}.${key}`, table, key, min: type.min }] : [],
  )

  test.each(numbers)("$path may be its least, not less, and no NaN", ({ path, table, key, min }) => {
    expect(resolveProfile({ [table]: { [key]: min } })).toMatchObject({ [table]: { [key]: min } })
    expect(errorOf({ [table]: { [key]: min - 1 } }).message).toContain(path)
    expect(errorOf({ [table]: { [key]: Number.NaN } }).message).toContain(path)
  })

  test("an enabled tool that nobody made is refused: its name alone would do nothing", () => {
    expect(errorOf({ tools: { enabled: ["calculate"] } }).message).toBe(
      'Profile "default": tools.enabled: expected the tool "calculate" in tools.builtin, found none.',
    )
  })

  test("a tool that nobody made is told together with every other problem", () => {
    expect(errorOf({ tools: { enabled: ["calculate"] }, loop: { maxSteps: -1 } }).message).toMatch(
      /loop\.maxSteps: expected .*; tools\.enabled: expected the tool "calculate"/,
    )
    const mixed = { enabled: ["calculate", 5] } as unknown as { readonly enabled: readonly string[] }
    expect(errorOf({ tools: mixed }).message).toBe(
      'Profile "default": tools.enabled[1]: expected a string, found 5; tools.enabled: expected the tool "calculate" in tools.builtin, found none.',
    )
  })

  test("a whole profile comes back equal, so parts of one can be changed", () => {
    const parts = fc.record<ProfileInput>(
      {
        name: fc.constantFrom("a", "b"),
        persona: fc.string(),
        variables: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.boolean())),
        loop: fc.record({ maxSteps: fc.integer({ min: 1, max: 50 }), strict: fc.boolean() }, { requiredKeys: [] }),
        budget: fc.record({ tokens: fc.integer({ min: 1, max: 9_999 }) }, { requiredKeys: [] }),
        prestart: fc.array(fc.record({ tool: fc.constantFrom("x", "y"), args: fc.dictionary(fc.string(), fc.jsonValue()) })),
        model: fc.record({ id: fc.constantFrom("a-model", "模型") }, { requiredKeys: [] }),
        final: fc.record({ system: fc.string() }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(parts, (input) => {
        const profile = resolveProfile(input)
        expect(resolveProfile(profile)).toEqual(profile)
        expect(resolveProfile({ ...profile, loop: { ...profile.loop, maxSteps: 7 } })).toEqual({
          ...profile,
          loop: { ...profile.loop, maxSteps: 7 },
        })
      }),
    )
  })
})
