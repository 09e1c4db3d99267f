import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseSync, Visitor } from "rolldown/utils"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../src/core/errors.ts"
import { childEnv } from "./support/child-env.ts"
import { codeBlocksIn } from "./support/code-blocks.ts"
import { entryPoints } from "./support/entry-points.ts"
import { lightPackages } from "./support/layer-order.ts"
import { modulesLoadedBy, packagesAmong } from "./support/loaded-modules.ts"
import { root } from "./support/source-files.ts"

const entries = entryPoints()
const present = entries.filter(({ source }) => existsSync(root + source))
const load = async (source: string) => (await import(pathToFileURL(root + source).href)) as Record<string, unknown>

/** The names that an index.ts, a list of `export { … } from`, exports as types alone. */
function exportedTypes(text: string): string[] {
  return [...text.matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)].flatMap(([, typeOnly, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && (typeOnly !== undefined || name.startsWith("type ")))
      .map((name) => name.replace(/^type\s+/, "").replace(/^.*\sas\s+/, "")),
  )
}

/** The regular expressions in a source text that are literals with Unicode properties. */
function propertySets(source: string): string[] {
  const found: string[] = []
  const visitor = new Visitor({
    Literal(node) {
      if ("regex" in node && /\\p\{/i.test(node.regex.pattern)) found.push(`/${node.regex.pattern}/${node.regex.flags}`)
    },
  })
  visitor.visit(parseSync("source.ts", source).program)
  return found
}

describe("the public surface", () => {
  test("every subpath in package.json has its source", () => {
    expect(entries.filter((entry) => !present.includes(entry))).toEqual([])
  })

  test.each(present)("$specifier exports these names and no others", async ({ specifier, source }) => {
    const values = Object.keys(await load(source)).sort()
    const types = exportedTypes(readFileSync(root + source, "utf8")).sort()
    const text = [`# ${specifier}`, "", ...values, "", "## Types", "", ...types, ""].join("\n")
    await expect(text).toMatchFileSnapshot(`__snapshots__/exports/${specifier.replaceAll("/", "-")}.md`)
  })

  test.each(present)("$specifier exports only errors with the brand", async ({ source }) => {
    const classes = Object.values(await load(source)).filter((value) => typeof value === "function")
    const errors = classes.filter((value) => value.prototype instanceof Error)
    expect(errors.filter((error) => error !== PromptStrataError && !(error.prototype instanceof PromptStrataError))).toEqual([])
  })

  test("the brand is on every instance and on nothing else", () => {
    class Derived extends PromptStrataError {}
    expect(PromptStrataError.isInstance(new PromptStrataError("usage", "x"))).toBe(true)
    expect(PromptStrataError.isInstance(new Derived("usage", "x"))).toBe(true)
    expect(PromptStrataError.isInstance(Object.assign(new Error("x"), { code: "usage" }))).toBe(false)
  })
})

describe("importing the root entry", () => {
  const rootEntry = `${root}src/index.ts`
  const loaded = existsSync(rootEntry) ? modulesLoadedBy(rootEntry) : []

  test.skipIf(!existsSync(rootEntry))("loads no built-in module and only light packages", () => {
    expect(loaded.some((url) => url.endsWith("/src/index.ts"))).toBe(true)
    expect(loaded.filter((url) => !url.startsWith("file:"))).toEqual([])
    expect(packagesAmong(loaded).filter((name) => !lightPackages.includes(name))).toEqual([])
  })

  test("leaves recall to the first memory that is looked for, but for its weights", () => {
    const recall = loaded.filter((url) => url.includes("/src/memory/services/recall/"))
    expect(recall.map((url) => url.slice(url.lastIndexOf("/") + 1))).toEqual(["recall-weights.ts"])
  })

  test("leaves the loop and its readers to the first turn, what follows a turn to the first job, and tables for people to their entry", () => {
    const later = [
      "loop/agent/session-turn",
      "loop/agent/child/run-request",
      "loop/turn/run-turn",
      "loop/turn/answer-output",
      "memory/services/background/memory-run",
      "memory/services/store/in-memory/job-table",
      "trace/print-trace",
      "reply/decision-reader",
      "reply/output/link-reader",
    ]
    expect(later.filter((name) => !existsSync(`${root}src/${name}.ts`))).toEqual([])
    expect(later.filter((name) => loaded.some((url) => url.endsWith(`/src/${name}.ts`)))).toEqual([])
  })

  test("assembling with a shipped dialect needs no parser of templates and no compiler of dialects", () => {
    const parser = ["prompt/template/parse", "prompt/dialect/compile-dialect", "prompt/dialect/found-lines"]
    expect(parser.filter((name) => !existsSync(`${root}src/${name}.ts`))).toEqual([])
    const assembling = modulesLoadedBy(`${root}src/prompt/assemble/assemble.ts`)
    expect(assembling.some((url) => url.endsWith("/src/prompt/template/render.ts"))).toBe(true)
    expect(parser.filter((name) => assembling.some((url) => url.endsWith(`/src/${name}.ts`)))).toEqual([])
  })

  test("reads no prompts; a dialect that is used is read in its locale alone", () => {
    expect(loaded.filter((url) => /shipped-prompts\/(?!folders)/.test(url))).toEqual([])
    const program = `
      const { createRequire } = await import("node:module")
      const { shippedDialect } = await import(${JSON.stringify(pathToFileURL(rootEntry).href)})
      shippedDialect("fay", "zh-CN")
      console.log(Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes("shipped-prompts")).join("\\n"))`
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8", env: childEnv() })
    const read = stdout
      .trim()
      .split("\n")
      .map((path) => path.slice(path.lastIndexOf("/") + 1))
    expect(read.sort()).toEqual(["packed.fay.zh-CN.ts", "packed.shared.zh-CN.ts"])
  })

  test("reads no set of Unicode properties: a literal of one is read with its file, though nobody runs it", () => {
    const files = loaded.filter((url) => url.includes("/src/"))
    const found = files.flatMap((url) =>
      propertySets(readFileSync(fileURLToPath(url), "utf8")).map((literal) => `${url.slice(url.indexOf("/src/"))}: ${literal}`),
    )
    expect(files.length).toBeGreaterThan(100)
    expect(found).toEqual([])
    expect(propertySets("const letter: RegExp = /\\p{L}/u; const digit = String.raw`/\\p{N}/u`")).toEqual([String.raw`/\p{L}/u`])
  })

  test("would be caught loading more: an entry of the edges shows its packages and built-in modules", () => {
    const heavy = modulesLoadedBy(`${root}test/support/heavy-entry.ts`)
    expect(heavy).toContain("node:fs")
    expect(packagesAmong(heavy)).toEqual(expect.arrayContaining(["zod", "yaml"]))
  })
})

/**
 * The most values that all entries but `promptstrata/testing` export together. A later entry may raise it, in the same change that says
 * so in CHANGELOG.md, and never without a section in docs/reference for each new value.
 */
const maxValues = 89
/** The most types that they name together. Options of one function need no name: callers write them where they call it. */
const maxTypes = 300

/** A section of a reference page about one value. */
interface ReferenceSection {
  readonly name: string
  readonly specifier: string
  readonly examples: number
}

/** A page's sections. Its title begins with the entry that it is about; a section's heading is a value's name in backticks. */
function sectionsOf(markdown: string): ReferenceSection[] {
  const specifier = /^# (promptstrata[\w/-]*)/.exec(markdown)?.[1] ?? ""
  return markdown.split(/^## (?=`\w+`$)/m).flatMap((section, at) => {
    const name = /^`(\w+)`\n/.exec(section)?.[1]
    if (at === 0 || name === undefined) return []
    const examples = codeBlocksIn(section).filter(
      ({ language, text }) => language === "ts" && new RegExp(`\\b${name}\\b`).test(text),
    )
    return [{ name, specifier, examples: examples.length }]
  })
}

describe("docs/reference", () => {
  const folder = `${root}docs/reference/`
  const pages = readdirSync(folder).filter((page) => page !== "README.md")
  const sections = pages.flatMap((page) => sectionsOf(readFileSync(folder + page, "utf8")))

  test.each(present)("has one section for each value of $specifier, and for nothing else", async ({ specifier, source }) => {
    const names = sections.filter((section) => section.specifier === specifier).map(({ name }) => name)
    expect(names.sort()).toEqual(Object.keys(await load(source)).sort())
  })

  test("shows each value in an example", () => {
    expect(sections.filter(({ examples }) => examples === 0)).toEqual([])
  })

  test("is ordered by its README, which links each page once", () => {
    const linked = [...readFileSync(`${folder}README.md`, "utf8").matchAll(/\]\((\w[\w.-]*\.md)\)/g)].map(([, page]) => page)
    expect(linked.sort()).toEqual(pages.sort())
  })

  test(`is about at most ${maxValues} values, those for tests apart`, async () => {
    const entriesOfUse = present.filter(({ specifier }) => specifier !== "promptstrata/testing")
    const values = await Promise.all(entriesOfUse.map(async ({ source }) => Object.keys(await load(source))))
    expect(values.flat().length).toBeLessThanOrEqual(maxValues)
  })

  test(`is about at most ${maxTypes} types, those for tests apart`, () => {
    const entriesOfUse = present.filter(({ specifier }) => specifier !== "promptstrata/testing")
    const types = entriesOfUse.flatMap(({ source }) => exportedTypes(readFileSync(root + source, "utf8")))
    expect(new Set(types).size).toBeLessThanOrEqual(maxTypes)
  })
})
