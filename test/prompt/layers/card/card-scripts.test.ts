import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cardScripts, createScripts, type ScriptOccasion, scriptWork } from "../../../../src/prompt/layers/card/card-scripts.ts"
import { compileReplace } from "../../../../src/prompt/layers/lorebook/bounded-replace.ts"
import { runs, seedOf } from "../../../support/size.ts"

type Fields = Readonly<Record<string, unknown>>
const script = (findRegex: string, replaceString: string, more: Fields = {}) => ({
  ...{ scriptName: "s", findRegex, replaceString, placement: [1, 2] },
  ...more,
})

/** Runs scripts on a text, and returns it with the warnings. */
function run(scripts: readonly Fields[], text: string, more: Partial<ScriptOccasion> = {}): readonly string[] {
  const told: string[] = []
  const fill = (words: string) => words.replaceAll("{{user}}", "Ann+").replaceAll("{{char}}", "Mei")
  const occasion = {
    place: "assistant",
    to: "model",
    work: scriptWork(),
    fill,
    warn: (line: string) => void told.push(line),
  } as const
  const made = cardScripts({ json: { data: { extensions: { regex_scripts: scripts } } } })
  return [createScripts(made)(text, { ...occasion, ...more }), ...told]
}

describe("C37 a regex script", () => {
  test.each<readonly [string, Fields, string, string]>([
    ["by flags, all that it finds", script("/<WS>.*?<\\/WS>/gs", ""), "a<WS>{\n}</WS>b<WS></WS>", "ab"],
    ["without a flag g the first alone", script("/o/", "0"), "foo", "f0o"],
    ["by a pattern without slashes", script("[ab]+", "x"), "cabc", "cxc"],
    ["by its groups", script("/(?<a>\\w+) (\\w+)/", "$2 $<a>$9$<b>!"), "one two", "two one!"],
    ["by the match, trimmed", script("/\\*\\w+\\*/g", "({{match}}|$0)", { trimStrings: ["*"] }), "*hi* *ho*", "(hi|hi) (ho|ho)"],
    ["by names", script("/Mei/", "{{char}} and {{user}}"), "Mei", "Mei and Ann+"],
    ["by names in the pattern, as plain words", script("/{{user}}/", "U", { substituteRegex: 2 }), "Ann Ann+", "Ann U"],
    ["by names in the pattern, as a pattern", script("/{{user}} /g", "U", { substituteRegex: 1 }), "Ann Annn Ann+", "UUAnn+"],
    ["by macros of the pattern that stay", script("/\\{\\{user\\}\\}/", "U", { substituteRegex: 0 }), "{{user}}", "U"],
    ["but one that is switched off", script("/a/", "b", { disabled: true }), "a", "a"],
    ["without hidden characters", script("/a/", "x\u0007\u202ey"), "a", "xy"],
  ])("replaces %s", (_, given, text, expected) => {
    expect(run([given], text)).toEqual([expected])
  })

  test("acts on its places, and on what is shown, sent, or both", () => {
    const given = (markdownOnly: boolean, promptOnly: boolean) => script("/a/", "b", { markdownOnly, promptOnly })
    const both = (scripts: readonly Fields[]) => (["people", "model"] as const).map((to) => run(scripts, "a", { to })[0])
    expect(both([given(false, false)])).toEqual(["b", "b"])
    expect(both([given(true, false)])).toEqual(["b", "a"])
    expect(both([given(false, true)])).toEqual(["a", "b"])
    expect(both([given(true, true)])).toEqual(["b", "b"])
    const at = (placement: unknown) =>
      (["user", "assistant", "lore"] as const).map((place) => run([script("/a/", "b", { placement })], "a", { place })[0])
    expect(at([1])).toEqual(["b", "a", "a"])
    expect(at([2])).toEqual(["a", "b", "a"])
    expect(at([5])).toEqual(["a", "a", "b"])
    // 3: commands, 6: thoughts.
    for (const placement of [[3, 6], [], null, "2"]) expect(at(placement), String(placement)).toEqual(["a", "a", "a"])
  })

  test("acts between its depths; of a text without depth, always", () => {
    const depths = (more: Fields) => [0, 1, 2, 3].filter((depth) => run([script("/a/", "b", more)], "a", { depth })[0] === "b")
    expect(depths({ minDepth: 1, maxDepth: 2 })).toEqual([1, 2])
    expect(depths({ minDepth: null, maxDepth: null })).toEqual([0, 1, 2, 3])
    expect(depths({ minDepth: -5, maxDepth: -1 })).toEqual([0, 1, 2, 3])
    expect(depths({ minDepth: 2 })).toEqual([2, 3])
    expect(run([script("/a/", "b", { minDepth: 2 })], "a")).toEqual(["b"])
  })

  test("runs behind the scripts before it", () => {
    expect(run([script("/a/", "b"), script("/b/g", "c")], "ab")).toEqual(["cc"])
  })

  test.each<readonly [string, Fields, string, string]>([
    ["goes back", script("/(a+)+$/", "x"), `${"a".repeat(40)}!`, "it could take too long"],
    ["reads all for each letter", script("/[ab]*c[ab]*d/", "x"), `${"ab".repeat(50_000)}cd`, "it could take too long"],
    ["looks around", script("/(?<=a)b/", "x"), "ab", "a look-around cannot"],
    ["is no pattern", script("/(/", "x"), "ab", "Invalid regular expression"],
    [
      "has many words",
      script(`/${Array.from({ length: 200 }, (_, at) => `word${at}`).join("|")}/`, "x"),
      "word".repeat(30_000),
      "it could take too long",
    ],
    ["is long", script(`/${"a".repeat(2_001)}/`, "x"), "ab", "more than 2000 characters"],
    ["is empty", script("", "x"), "ab", "it has no pattern"],
    ["grows", script("/./g", "$0".repeat(3_000)), "a".repeat(1_000), "its text is too long"],
  ])("that %s leaves the text as it is, and that is told", (_, given, text, why) => {
    const [left, ...told] = run([given], text)
    expect(left).toBe(text)
    expect(told).toEqual([expect.stringMatching(/^The script "s" of the card did not run: /)])
    expect(told[0]).toContain(why)
  })

  test("shares one bound of work with all others of a prompt", () => {
    const work = { ...scriptWork(), left: 1_000 }
    const many = Array.from({ length: 50 }, () => script("/a[bc]?d/", "x"))
    expect(run(many, "a".repeat(100), { work }).length).toBeGreaterThan(1)
    expect(work.left).toBeLessThanOrEqual(0)
  })

  test("replaces as the host does, for any pattern that it may run", () => {
    const leaf = fc.constantFrom("a", "b", ".", "\\w", "[ab]", "[^a]", "\\b", "^", "$", "(a)", "é")
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf,
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(?:${a}|${b})`),
        fc.tuple(tie("pattern"), fc.constantFrom("*", "+?", "?", "{2}", "{1,3}", "*?")).map(([a, b]) => `(${a})${b}`),
      ),
    }))
    const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é"), maxLength: 10 })
    fc.assert(
      fc.property(pattern, fc.constantFrom("", "g", "gi", "gm", "s", "gu"), text, (source, flags, given) => {
        const compiled = compileReplace(source, flags)
        if ("refused" in compiled) throw new Error(compiled.refused)
        const made = compiled.replace(given, { left: 1e12, leftOut: new Set() }, (match) => `<${match.join("|")}>`)
        const host = given.replace(new RegExp(source, flags), (...found: unknown[]) => `<${found.slice(0, -2).join("|")}>`)
        expect(made).toBe(host)
      }),
      { numRuns: runs(10_000), seed: seedOf(37) },
    )
  })
})
