import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compilePattern } from "../../../../src/prompt/layers/lorebook/pattern.ts"
import { runs, seedOf } from "../../../support/size.ts"

const occurs = (source: string, flags: string, text: string) => {
  const compiled = compilePattern(source, flags)
  return typeof compiled === "function" ? compiled(text, anyWork) : compiled.refused
}

const anyWork = { left: Number.POSITIVE_INFINITY, leftOut: new Set<number>() }

/** Matches no text but the empty one, and is too much for the host whatever the text. */
const ownSearch = "(?:|\\0)".repeat(20)

describe("a key that is a pattern", () => {
  test.each([
    ["drag(on|ons)\\b", "i", "two DRAGONS"],
    ["^hello", "m", "oh\nhello"],
    ["\\bcat\\b", "", "a wildcat, a concat"],
    ["[^a-z\\s]{2,3}$", "", "abc 12"],
    ["(?<year>\\d{4})年", "u", "在1984年"],
    ["\\p{Lu}{3}", "u", "the NASA"],
    [".", "", "\n"],
    [".", "s", "\n"],
    ["^.$", "u", "😀"],
    ["^.$", "", "😀"],
    ["\\u{1f600}|\\ud83d\\ude01", "u", "a 😁"],
    ["a{,3}", "", "a{,3}"],
    ["(a*)*b", "", "aaaaac"],
    ["x*?y??z+?", "", "z"],
    ["[\\]\\d]+-\\/", "", "]1-/"],
    ["(?:)", "", ""],
    ["ſ", "iu", "s"],
    ["\\Bat\\B", "", "rates"],
    ["\\x41\\u0042\\cJ", "", "AB\n"],
    ["\\u0041\\u0042", "u", "AB"],
    ["\\u0041\\u0042{2}", "u", "ABB"],
    ["\\ud83d\\u0041", "u", "\ud83dA"],
    ["^(?:😀){2}$", "u", "😀😀"],
    ["^😀{2}$", "u", "😀😀"],
    ["^😀{2}$", "", "😀😀"],
    ["^[😀a]{2}$", "u", "😀a"],
  ])("/%s/%s is found in %j where the host's own engine finds it", (source, flags, text) => {
    expect(occurs(source, flags, text)).toBe(new RegExp(source, flags).test(text))
  })

  test("is found where the host's own engine finds it, for any pattern", () => {
    const leaf = fc.constantFrom("a", "b", ".", "\\w", "[ab]", "[^a]", "\\b", "^", "$", "\\s", "é")
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        leaf,
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
        fc.tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?")).map(([a, b]) => `(${a})${b}`),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é", "B"), maxLength: 12 })
    fc.assert(
      fc.property(pattern, fc.constantFrom("", "i", "m", "s", "u", "iu"), text, (source, flags, given) => {
        // Only a whole text has to hold all of the pattern's repetitions.
        // A part that may come without end is the host's where the text has no run of it.
        const ends = ["", "\\0*", ownSearch]
        for (const shown of ends.flatMap((end) => [`(?:${source})${end}`, `^(?:${source})$${end}`])) {
          expect(occurs(shown, flags, given), shown).toBe(new RegExp(shown, flags).test(given))
        }
      }),
      { numRuns: runs(20_000), seed: seedOf(20) },
    )
  })

  test.each([
    ["(?=a)b", "", "a look-around cannot be searched for in linear time"],
    ["(?<!a)b", "", "a look-around cannot be searched for in linear time"],
    ["(a)\\1", "", "a backreference cannot be searched for in linear time"],
    ["((a{30}){30}){30}", "", "the pattern has more than 1000 states"],
    ["((((){1000}){1000}){1000}){9999999}", "", "the pattern has more than 1000 states"],
    ["a", "v", "the flag v is not supported"],
    [
      "(".repeat(200) + ")".repeat(200),
      "",
      "a pattern with more than 100 groups inside each other cannot be searched for in linear time",
    ],
  ])("/%s/%s is refused with a reason", (source, flags, reason) => {
    expect(occurs(source, flags, "text")).toBe(reason)
  })

  test.each(["(?=a)", "(?!a)", "(?<=a)", "(?<!a)"])("%s is refused as a look-around wherever it stands", (found) => {
    for (const before of ["", "x", "word|", "(b", "[(?:]\\(", "long words before it "])
      for (const after of ["", "y", "|z", " and long words behind it"]) {
        const source = `${before}${found}${after}${before === "(b" ? ")" : ""}`
        expect(occurs(source, "", "text"), source).toBe("a look-around cannot be searched for in linear time")
      }
  })

  test.each(["\\1", "\\9", "\\k<n>"])("%s is refused as a backreference wherever it stands", (found) => {
    for (const before of ["", "x", "word|", "[\\1]", "long words before it "])
      for (const after of ["", "y", "|z", " and long words behind it"]) {
        const source = `(?<n>a)()()()()()()()()${before}${found}${after}`
        expect(occurs(source, "", "text"), source).toBe("a backreference cannot be searched for in linear time")
      }
  })

  test("that is no regular expression is refused in the host's words", () => {
    expect(occurs("(a", "", "text")).toContain("Unterminated group")
    expect(occurs("a", "q", "text")).toContain("flags")
  })

  test.each([
    ...["(a+)+$", "(a|aa)*c", "(a|b)*a(a|b){20}c", "(?:a?){40}a{40}b", "(.*)*x"],
    ...["(?:a|aa){20}b", "(?:a|a){9}b", "(?:(?:a{0,6}){0,6}){0,6}b", "a{0,30}a{0,30}b"],
  ])("/%s/ reads a text of a million characters once", (source) => {
    const compiled = compilePattern(source, "")
    if (typeof compiled !== "function") throw new Error(compiled.refused)
    let read = 0
    const text = `${"a".repeat(1_000_000)}!`
    const charCodeAt = (at: number) => {
      read++
      return text.charCodeAt(at)
    }
    // As a string it has all letters of the patterns, so that none is ruled out before it is searched for.
    const whole = () => `${"a".repeat(50)}bcx`
    const counted = { length: text.length, charCodeAt, toString: whole, match: (pattern: RegExp) => text.match(pattern) }
    expect(compiled(counted as unknown as string, anyWork)).toBe(false)
    expect(read).toBe(text.length)
  })

  test.each(["dragons?\\b", "(?:the )?wyrm of \\w+", "(a+)+ dragon", "dragon|wyrm", "(?:dragon|wyrm){2,}", "(x|y)*dragon$"])(
    "C26 /%s/ is not searched for in a text that lacks its characters",
    (source) => {
      const compiled = compilePattern(source, "i")
      if (typeof compiled !== "function") throw new Error(compiled.refused)
      let read = 0
      const counted = { length: 1_000, charCodeAt: () => ++read && 0x61, toString: () => "a quick fox, and a drag" }
      expect(compiled(counted as unknown as string, anyWork)).toBe(false)
      expect(read).toBe(0)
      expect(compiled("The Dragon, the wyrm of old, a dragondragon, aa Dragon", anyWork)).toBe(true)
    },
  )

  test("C26 a pattern of several pieces is not searched for in a text that lacks one of them, or has them in another order", () => {
    const compiled = compilePattern("\\bdragons?\\s+(?:of|from)\\s*(?:wyrm|the drake)", "i")
    if (typeof compiled !== "function") throw new Error(compiled.refused)
    for (const text of ["A dragon of old.", "The wyrm of a dragon", "From the drake, a dragon.", "of wyrms, dragons of"]) {
      const counted = { length: text.length, charCodeAt: () => expect.unreachable(), toString: () => text }
      expect(compiled(counted as unknown as string, anyWork), text).toBe(false)
    }
    expect(compiled("Of wyrms, dragons, a Dragon  from THE DRAKE", anyWork)).toBe(true)
    expect(compiled("A dragon of old, of a wyrm", anyWork)).toBe(false)
  })

  test("C32 the work of a choice grows with its words", () => {
    const compiled = compilePattern(`(?:${Array.from({ length: 100 }, (_, at) => `w${at}x`).join("|")})+y`, "")
    if (typeof compiled !== "function") throw new Error(compiled.refused)
    const work = { left: 1_000_000, leftOut: new Set<number>() }
    expect(compiled("w".repeat(1_000), work)).toBe(false)
    expect(work.left).toBeLessThan(900_000)
  })

  test.each([
    ["\\bdragon\\w*\\s+of\\s+\\w+\\s+old", "a dragoness of the  old"],
    ["\\bdragon.*old$", "a dragon of old"],
    ["\\bdragon\\w{0,90}\\s{0,90}of \\w+", "a dragon of old"],
    ["d\\S*n(?:\\s+\\w*)?", "dragon of old"],
    ["\\b(?:dragon|gnome)\\w*\\s+\\w+\\s+\\w+", "a dragon of old"],
    ["(?:my )?dragon\\w*\\s+\\w+\\s+\\w+", "a dragon of old"],
  ])(
    "C32 /%s/, which may repeat without end, is left to the host in a text of short runs, and its work is counted",
    (source, found) => {
      const compiled = compilePattern(source, "i")
      if (typeof compiled !== "function") throw new Error(compiled.refused)
      const text = `${"A fox and a wolf.\n".repeat(50)}${found}`
      const counted = {
        length: text.length,
        charCodeAt: () => expect.unreachable(),
        toString: () => text,
        match: (pattern: RegExp) => text.match(pattern),
      }
      const work = { left: 64 * text.length, leftOut: new Set<number>() }
      expect(compiled(counted as unknown as string, work)).toBe(true)
      expect(work.left).toBeGreaterThan(0)
      expect(work.left).toBeLessThan(63 * text.length)
    },
  )

  test("C32 a pattern that could go back too often in one text is searched for in linear time there alone", () => {
    const compiled = compilePattern("d\\w*\\w*n", "")
    if (typeof compiled !== "function") throw new Error(compiled.refused)
    const readOf = (text: string): number => {
      let read = 0
      const counted = {
        length: text.length,
        charCodeAt: (at: number) => text.charCodeAt(at + 0 * read++),
        toString: () => text,
        match: (pattern: RegExp) => text.match(pattern),
      }
      expect(compiled(counted as unknown as string, anyWork)).toBe(false)
      return read
    }
    expect([readOf(`${"add do ".repeat(500)} n`), readOf(`${"d".repeat(3_500)} n`)]).toEqual([0, 3_502])
  })

  test.each(["\\b(?:the )?dragons?\\b", "dragon|wyrm|drake", "dra{1,3}go[mn]", "(?:drag|wyr)(?:on|m)"])(
    "C32 /%s/, of few steps, is left to the host where it occurs, and its work is counted",
    (source) => {
      const compiled = compilePattern(source, "i")
      if (typeof compiled !== "function") throw new Error(compiled.refused)
      const work = { left: 10_000, leftOut: new Set<number>() }
      const counted = { length: 1_000, charCodeAt: () => expect.unreachable(), toString: () => "a Dragon" }
      expect(compiled(counted as unknown as string, work)).toBe(true)
      expect(work.left).toBeLessThanOrEqual(9_000)
      expect(work.left).toBeGreaterThan(0)
    },
  )
})
