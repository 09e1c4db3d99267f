import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, expectTypeOf, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import type { TrustedText } from "../../src/core/value.ts"
import { fitsProfileFile } from "../../src/node/profile/profile-document.ts"
import { profileJsonSchema } from "../../src/node/profile/profile-json-schema.ts"
import { checkProfileFile } from "../../src/node/profile/profile-schema.ts"
import { describeProblem, wrongValues } from "../../src/profile/check-keys.ts"
import type { Key, Keys, ValueType } from "../../src/profile/key.ts"
import { inSnakeCase } from "../../src/profile/key.ts"
import sentences from "../../src/profile/key-words.json" with { type: "json" }
import { keyWords } from "../../src/profile/key-words.ts"
import type { Profile, ProfileInput } from "../../src/profile/profile.ts"
import { profileFileKeys } from "../../src/profile/profile-file-keys.ts"
import { profileKeys } from "../../src/profile/profile-keys.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { codeBlocksIn } from "../support/code-blocks.ts"
import { declaredAgain, keysIn, longNamesIn } from "../support/declared-keys.ts"
import { schemaFaults } from "../support/json-schema.ts"
import { readSources, root } from "../support/source-files.ts"

const schema = profileJsonSchema()

/** The name of a key as code or a file spells it. */
function spelled(name: string, spelling: "code" | "file"): string {
  return spelling === "code" ? name : inSnakeCase(name)
}
const fileKeys = keysIn(profileFileKeys.keys).map(({ path, key }) => ({ path, key, name: path.join(".") }))
const codeKeys = new Map(keysIn(profileKeys.keys).map(({ path, key }) => [path.join("."), key]))

test("every key says in sentences what it is for", () => {
  const keys = [...fileKeys, ...[...codeKeys].map(([name, key]) => ({ name, key }))]
  const isSaid = (key: Key) => /^\P{Ll}.{10,}[.:)]$/su.test(keyWords.get(key)?.words ?? "")
  expect(keys.filter(({ key }) => !isSaid(key)).map(({ name }) => name)).toEqual([])
})

test("every sentence in key-words.json is that of a key: none is left of one that is gone or was renamed", () => {
  expect(keyWords.size).toBe(1 + Object.keys(sentences.file).length + Object.keys(sentences.code).length)
})

/** Values of another kind, and numbers beside the bounds of a number. */
function wrongFor(type: ValueType): readonly unknown[] {
  if (type.kind !== "number") return [3, "?", [], {}, true, [3], { a: [3] }]
  const { min, max = 1e9 } = type
  return ["3", min, max, min - 0.5, max + 0.5, min + 0.5, Number.NaN]
}

/** Problems that expect the same stand in one line. */
function inLines(problems: readonly string[]): string {
  const between = ", found "
  const byExpected = Map.groupBy(new Set(problems), (problem) => problem.split(between, 1).join())
  const lineOf = (expected: string, all: readonly string[]) =>
    all.length === 1
      ? all.join()
      : [expected, all.map((problem) => problem.slice(expected.length + between.length)).join(" | ")].join(between)
  return [...byExpected].map(([expected, all]) => lineOf(expected, all)).join("\n")
}

test("every key names what it expects instead of another value", () => {
  const described = [...codeKeys].map(([name, { type }]) => {
    const problems = wrongFor(type).flatMap((value) => wrongValues(type, value, name.split(".")).map(describeProblem))
    return inLines(problems)
  })
  expect(described.filter((text) => text !== "").join("\n\n")).toMatchSnapshot()
})

test("every list and every table of a user's own names says what it expects", () => {
  const keys = [...fileKeys, ...[...codeKeys].map(([name, key]) => ({ name, key }))]
  const expected = ({ type }: Key) => (type.kind === "list" || type.kind === "map" ? type.expected : "a value")
  expect(keys.filter(({ key }) => !/^(?:a|an|the) \S/.test(expected(key))).map(({ name }) => [name])).toEqual([])
})

/** A profile with one value, at `path`: in a list the table is the only item, in a map its name is `a`. */
function profileWith(keys: Keys, [name = "", ...inner]: readonly string[], value: unknown, spelling: "code" | "file"): object {
  const type = keys[name]?.type
  return { [spelled(name, spelling)]: inner.length === 0 ? value : around(type, inner, value, spelling) }
}

function around(type: ValueType | undefined, path: readonly string[], value: unknown, spelling: "code" | "file"): unknown {
  if (type?.kind === "list") return [around(type.of, path, value, spelling)]
  if (type?.kind === "map") return { a: around(type.of, path, value, spelling) }
  const keys = type?.kind === "table" ? type.keys : {}
  const needed = Object.entries(keys).filter(([, { presence }]) => presence === "required")
  const others = Object.fromEntries(needed.map(([name]) => [spelled(name, spelling), "x"]))
  return { ...others, ...profileWith(keys, path, value, spelling) }
}

const words = fc.constantFrom(
  "",
  " ",
  "x",
  "a\nb",
  "x\u0085y",
  "en",
  "zh-CN",
  "UTC",
  "Mars/Dune",
  "#1D75B3",
  "#12",
  "http://",
  "https://x.org/a",
  "ftp://x",
)
const numbers = fc.oneof(
  fc.integer({ min: -2, max: 60 }),
  fc.double({ min: -1, max: 12, noNaN: true }),
  fc.constantFrom(2 ** 31 - 1, 2 ** 31, 1e6, 0.5),
)
const anyValue = fc.oneof(
  words,
  numbers,
  fc.boolean(),
  fc.constantFrom(null, [], {}),
  fc.array(words, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom("x", "device"), fc.oneof(words, numbers, fc.constant({}))),
)

/** Values that TOML has and JSON has not, and tables as the TOML reader makes them. */
const beyondJson = fc.constantFrom(
  new Date(0),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  -0,
  { a: new Date(0) },
  [Number.NaN],
  Object.assign(Object.create(null), { a: "x" }),
  { name: "x", command: undefined },
)

/** Values of which many fit the type, and some do not. */
function valuesOf(type: ValueType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "number": {
      const { min, max = min + 10 } = type
      return fc.oneof(
        anyValue,
        fc.constantFrom(min, max, min - 1, max + 1, min + 0.5),
        fc.integer({ min: Math.ceil(min), max: Math.floor(max) }),
      )
    }
    case "choice":
      return fc.oneof(
        anyValue,
        fc.constantFrom(...type.choices),
        fc.constantFrom(...type.choices).map((choice) => `${choice} `),
      )
    case "list":
      return fc.oneof(anyValue, fc.array(valuesOf(type.of), { maxLength: 2 }))
    case "map":
      return fc.oneof(anyValue, fc.dictionary(fc.constantFrom("a", ...(type.names ?? [])), valuesOf(type.of), { maxKeys: 2 }))
    case "table":
      return fc.oneof(
        anyValue,
        fc.record(
          Object.fromEntries(Object.entries(type.keys).map(([name, key]) => [spelled(name, "file"), valuesOf(key.type)])),
          { requiredKeys: [] },
        ),
      )
    default:
      return anyValue
  }
}

/** True where a check beyond the pattern decides, such as whether a time zone exists: JSON Schema cannot say that. */
function hasOwnCheck(type: ValueType): boolean {
  if (type.kind === "list" || type.kind === "map") return hasOwnCheck(type.of)
  if (type.kind === "table") return Object.values(type.keys).some((key) => hasOwnCheck(key.type))
  return type.kind === "text" && type.form?.accepts !== undefined
}

/** Tables differ: their names are spelled in two ways, and code is not asked for unknown ones. */
function holdsTable(type: ValueType): boolean {
  return type.kind === "list" || type.kind === "map" ? holdsTable(type.of) : type.kind === "table"
}

/** The problems that `resolveProfile` has with an object, but for tools that code must bring along. */
function objectProblems(input: object): readonly string[] {
  try {
    resolveProfile(input as ProfileInput)
    return []
  } catch (error) {
    if (!PromptStrataError.isInstance(error) || error.code !== "profile") throw error
    const problems = (error.evidence.problems ?? []).map(({ message }) => message)
    return problems.filter((problem) => !problem.startsWith("tools.enabled: expected the tool"))
  }
}

/** A value without the keys that are undefined: TOML cannot write one. */
function inToml(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inToml)
  if (typeof value !== "object" || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, inToml(inner)]])))
}

describe("every declared key of a profile", () => {
  test.each(fileKeys)("$name takes its own default", ({ key }: { key: Key }) => {
    if (key.default !== undefined) expect(wrongValues(key.type, key.default)).toEqual([])
  })

  test.each(fileKeys)("$name: the short check of a file takes what the zod schema takes (L9)", ({ path, key }) => {
    fc.assert(
      fc.property(fc.oneof(valuesOf(key.type), beyondJson), fc.boolean(), (value, isUnknown) => {
        const file = inToml({ ...profileWith(profileFileKeys.keys, path, value, "file"), ...(isUnknown ? { unknown: 1 } : {}) })
        expect(fitsProfileFile(file)).toBe(checkProfileFile(file).success)
      }),
      { numRuns: 30 },
    )
  })

  test.each([
    ...[undefined, null, "x", [], new Date(0), {}],
    ...[{ prestart: [{}] }, { prestart: [{ tool: "x" }] }, { prestart: [{ tool: "x", args: { at: new Date(0) } }] }],
    ...[{ mcp: { servers: { a: {} } } }, { recall_weights: { wording: 1 } }, { recall_weights: { wordings: 1 } }],
  ])("the short check takes the file %j as the zod schema does", (file) => {
    expect(fitsProfileFile(file)).toBe(checkProfileFile(file).success)
  })

  test.each(fileKeys)(
    "$name: the zod schema, the JSON Schema and the check of objects accept and refuse the same values",
    ({ path, key, name }) => {
      const inCode = codeKeys.get(name)?.type === key.type
      fc.assert(
        fc.property(valuesOf(key.type), (value) => {
          const file = profileWith(profileFileKeys.keys, path, value, "file")
          const accepted = checkProfileFile(file).success
          const matches = schemaFaults(schema, file).length === 0
          if (hasOwnCheck(key.type)) expect(matches || !accepted).toBe(true)
          else expect(matches).toBe(accepted)
          if (!inCode || holdsTable(key.type)) return
          expect(objectProblems(profileWith(profileKeys.keys, path, value, "code")).length === 0).toBe(accepted)
        }),
        { numRuns: 60 },
      )
    },
  )
})

describe("the types that follow from the declaration", () => {
  test("are written out: everything with a default is in a profile, and nothing needs to be in an input", () => {
    expectTypeOf<Profile["budget"]>().toEqualTypeOf<{
      readonly tokens?: number
      readonly answerTokens: number
      readonly stepTokens: number
    }>()
    expectTypeOf<NonNullable<ProfileInput["history"]>>().toEqualTypeOf<{
      readonly attachments?: number | undefined
      readonly contextCount?: number | undefined
      readonly groupTokens?: number | undefined
      readonly window?: "slide" | "steps" | "fill" | undefined
      readonly toolRuns?: "auto" | "keep" | "drop" | undefined
      readonly toolRunTokens?: number | undefined
      readonly keepFailed?: boolean | undefined
    }>()
    expectTypeOf<Profile["prestart"][number]>().toEqualTypeOf<{
      readonly tool: string
      readonly args: Readonly<Record<string, unknown>>
      readonly includeHistory: boolean
      readonly refreshMs?: number
      readonly timeoutMs?: number
    }>()
    expectTypeOf<ProfileInput["persona"]>().toEqualTypeOf<string | TrustedText | undefined>()
    expectTypeOf<Profile["persona"]>().toEqualTypeOf<TrustedText>()
  })
})

describe("a key is declared once", () => {
  // Most tables are in both.
  const tables = new Map(
    [profileFileKeys, profileKeys].flatMap(({ keys }) => longNamesIn(keys)).map((names) => [names.join(), names]),
  )
    .values()
    .toArray()
  const declarations = /^src\/profile\/(?:keys\/|profile-keys|profile-file-keys)/
  /** Layers below the profile whose settings one can use without a profile. The declaration takes its defaults from them. */
  const ownSettings = [
    "src/prompt/assemble/truncate-text.ts",
    "src/memory/forgetting/",
    "src/prompt/layers/documents/",
    "src/prompt/layers/lorebook/",
    "src/memory/services/background/",
    // Its time zone counts where a profile names none.
    "src/node/profile/load-profile.ts",
  ]

  test("no other interface, type or object of constants in src has the names of a table", () => {
    const others = [...readSources("src", ".ts")].filter(([file]) => !declarations.test(file))
    const found = others
      .filter(([file]) => !ownSettings.some((folder) => file.startsWith(folder)))
      // In its own folders a single name is enough, elsewhere two of one table: a type of a tool may have a `timeoutMs` too.
      .flatMap(([file, text]) =>
        declaredAgain(text, tables, /^src\/(?:node\/)?profile\//.test(file) ? 1 : 2).map((names) => `${file}: ${names}`),
      )
    expect(found).toEqual([])
  })

  test.each([
    ["an interface", "interface Loop { readonly maxSteps: number; readonly responseFormat: string }", "maxSteps, responseFormat"],
    ["a type", "type Retry = { maxAttempts?: number } & { baseDelayMs: number; maxDelayMs: number }", "baseDelayMs, maxDelayMs"],
    ["defaults", "export const defaults = { limits: { toolMs: 30_000, stepMs: 9 } }", "toolMs, stepMs"],
    [
      "a schema in a file's spelling",
      "const budget = z.object({ answer_tokens: z.int().min(0), step_tokens: z.int() })",
      "answerTokens, stepTokens",
    ],
  ])("%s that declares two again is found", (_, source, names) => {
    expect(declaredAgain(source, tables, 2)).toEqual([names])
  })

  test("the example in CONTRIBUTING.md is a line of the declaration", () => {
    const guide = readFileSync(`${root}CONTRIBUTING.md`, "utf8")
    const [example] = codeBlocksIn(guide.slice(guide.indexOf("**A profile key**"))).filter(({ language }) => language === "ts")
    expect(readFileSync(`${root}src/profile/keys/memory.ts`, "utf8")).toContain(example?.text.trim())
  })

  test("a use is no declaration", () => {
    const use = "const { maxSteps, responseFormat } = profile.loop\nrun({ maxSteps, responseFormat: request.format })"
    expect(declaredAgain(use, tables, 1)).toEqual([])
  })
})
