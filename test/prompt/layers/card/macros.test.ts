import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { fillMacros, type MacroValues } from "../../../../src/prompt/layers/card/macros.ts"

const values: MacroValues = {
  char: "Mei",
  user: "Ann",
  original: "Base.",
  lastMessage: "Hi!",
  nowMs: Date.UTC(2026, 1, 16, 3, 16),
  idleMs: 3 * 3_600_000,
  timeZone: "UTC",
  locale: "en",
  random: () => 0.5,
  pick: (place) => (place.startsWith("0:") ? 0 : 0.99),
}
const fill = (text: string, more: Partial<MacroValues> = {}) => fillMacros(text, { ...values, ...more }).text

describe("macros of a card", () => {
  test.each([
    ["{{char}} meets {{User}} and <USER>, says <bot> as <CHAR>", "Mei meets Ann and Ann, says Mei as Mei"],
    ["{{original}} {{lastMessage}}{{newline}}x", "Base. Hi!\nx"],
    ["{{random:a,b\\,c,d}} {{random::x::y}}", "b,c y"],
    ["{{pick:a,b}} {{pick:a,b}}", "a b"],
    ["{{roll:6}} {{roll:d20}} {{ROLL: D4}}", "4 11 3"],
    ["a{{// {secret}}b{{// gone {{char}} and {{roll:6}} }}{{comment: not shown}}", "ab"],
    ["{{roll:2d20}} {{roll 1d20}} {{roll:d20+3}} {{roll:1000d6}}", "22 11 14 {{roll:1000d6}}"],
    ["x{{hidden_key:dragon}}y", "xy"],
    ["{{reverse:olleH}} {{reverse:😀a}}", "Hello a😀"],
    ["{{isodate}} {{isotime}} {{weekday}} {{date}} {{idle_duration}}", "2026-02-16 03:16 Monday February 16, 2026 3 hours"],
    ["{{unknown}} {{roll:x}} {{roll:0}} {{ }} ${persona} {{char", "{{unknown}} {{roll:x}} {{roll:0}} {{ }} ${persona} {{char"],
  ])("C10: %j becomes %j", (text, expected) => {
    expect(fill(text)).toBe(expected)
  })

  test("C10: what a macro prints is not read again", () => {
    expect(fill("{{user}} {{lastMessage}}", { user: "{{char}}", lastMessage: "<user> {{roll:6}}" })).toBe(
      "{{char}} <user> {{roll:6}}",
    )
  })

  test.each([
    ["{{random::{{char}} waits::{{user}} goes}}", "Ann goes"],
    ["{{reverse:{{user}}}} {{{char}}} {{ {{char}} }}", "nnA {Mei} {{ Mei }}"],
    ["{{odd::{{char}} {{roll:{{random:6,6}}}}}} {{char", "{{odd::Mei 4}} {{char"],
    [`${"{{reverse:".repeat(30)}a${"}}".repeat(30)}`, /^[{re:s}vea]+$/],
  ])("C28: macros stand in each other: %s", (text, expected) => {
    if (typeof expected === "string") expect(fill(text)).toBe(expected)
    else expect(fill(text)).toMatch(expected)
  })

  test("C28: a speaker's words name no macro, and macros in them stay as they are", () => {
    const user = "roll:6}} {{char"
    expect(fill("{{{{user}}}} {{ {{user}} }} {{random::{{user}}}}", { user })).toBe(
      "{{roll:6}} {{char}} {{ roll:6}} {{char }} roll:6}} {{char",
    )
    expect(fill("{{ {{user}} }}", { user: "char" })).toBe("{{ char }}")
  })

  test("C11: a text tells if it holds a speaker's name or words", () => {
    const quotes = (text: string) => fillMacros(text, values).quotes
    expect(["<USER>", "{{lastMessage}}", "{{random:{{user}},a}}", "{{char}} {{time}} {{roll:6}}"].map(quotes)).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  test.each([
    [2 * 86_400_000 + 5, "2 days"],
    [86_400_000, "1 day"],
    [3_600_000, "1 hour"],
    [59 * 60_000, "59 minutes"],
    [59_999, "59 seconds"],
    [0, "0 seconds"],
  ])("C10: a pause of %d ms is %s", (idleMs, words) => {
    expect(fillMacros("{{idle_duration}}", { ...values, idleMs }).text).toBe(words)
  })

  test("C10: unknown macros and hidden keys are told", () => {
    expect(fillMacros("{{hidden_key:a}}{{hidden_key:b}} {{getvar::x}}", values)).toEqual({
      text: " {{getvar::x}}",
      hiddenKeys: "a\nb",
      unknown: ["{{getvar::x}}"],
      quotes: false,
      lasts: "conversation",
    })
  })

  test.each([
    [
      "plain, {{char}}, <bot>, {{newline}}{{comment: {x}{{// y}}{{pick:a,b}}{{hidden_key:k}}{{reverse:ab}}{{original}}",
      "conversation",
    ],
    ["{{char}} and {{user}}", "speaker"],
    ["<USER> at {{time}}", "turn"],
    ["{{time}} of <user>", "turn"],
    ["{{random:a,b}}", "turn"],
    ["{{RANDOM::a::b}}", "turn"],
    ["{{roll:6}}", "turn"],
    ["{{lastMessage}}", "turn"],
    ["{{idle_duration}}", "turn"],
    ["{{unknown}}", "conversation"],
  ])("C20: %j stays the same for its %s", (text, lasts) => {
    expect(fillMacros(text, values).lasts).toBe(lasts)
  })

  test("C10: chance stays within its bounds, and a text without macros stays as it is", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 50 }), fc.string({ unit: "binary" }), (seed, sides, text) => {
        const rolled = Number(fill(`{{roll:${sides}}}`, { random: mulberry32(seed) }))
        expect(rolled).toBeGreaterThanOrEqual(1)
        expect(rolled).toBeLessThanOrEqual(sides)
        if (!/\{\{|<(?:char|bot|user)>/i.test(text)) expect(fill(text)).toBe(text)
      }),
    )
  })
})
