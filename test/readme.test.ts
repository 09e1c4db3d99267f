import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { run } from "./apps/cli/run.ts"
import { childEnv } from "./support/child-env.ts"
import { type CodeBlock, codeBlocksIn, runsIn } from "./support/code-blocks.ts"
import { entryPoints } from "./support/entry-points.ts"
import { size } from "./support/size.ts"
import { root } from "./support/source-files.ts"

const readmes = ["README.md", "README.zh-CN.md"]
const docs = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).map((name) => `docs/${name.replaceAll("\\", "/")}`)
const pages = [...readmes, ...docs.filter((page) => page.endsWith(".md"))]

/** A block of a page. */
interface PageBlock extends CodeBlock {
  readonly page: string
}

const blocksOf = (page: string): PageBlock[] =>
  codeBlocksIn(readFileSync(root + page, "utf8")).map((block) => ({ ...block, page }))
const programs = pages.flatMap(blocksOf).filter(({ language }) => language === "ts" || language === "js")
const runs = pages.flatMap((page) => runsIn(blocksOf(page)).map(({ code, prints }) => ({ page, code, prints })))

/** The profiles that the READMEs tell to write. */
const profilesOfReadmes = readmes.flatMap(blocksOf).filter(({ language }) => language === "toml")

mkdirSync(`${root}test/.tmp`, { recursive: true })
const folder = mkdtempSync(`${root}test/.tmp/readme-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A folder for what a page tells to write into files. */
const folderOf = (page: string) => join(folder, page.replaceAll(/\W/g, "-"))
const fileOf = (page: string, { line }: CodeBlock) => join(folderOf(page), `line-${line}.ts`)

/** As many empty lines before a block as its page has, so that complaints name the page's lines. */
const atItsLine = ({ line, text }: CodeBlock) => `${"\n".repeat(line - 1)}${text}\nexport {}\n`

function node(args: readonly string[]): { status: number | null; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: childEnv() })
  return { status, output: stdout, errors: stderr }
}

/** What a program printed, and what it wrote to stderr or threw. */
interface ProgramOutput {
  readonly output: string
  readonly errors: string
}

let ran: Readonly<Record<string, ProgramOutput>> | undefined

/** Runs all programs, one after the other in one process: starting a process for each would take a second each. */
function outputOf(file: string): ProgramOutput {
  if (ran === undefined) {
    const files = runs.map(({ page, code }) => fileOf(page, code))
    const { output, errors } = node([...inSource, `${root}test/support/run-programs.ts`, ...files])
    if (output === "") throw new Error(errors)
    ran = JSON.parse(output) as Readonly<Record<string, ProgramOutput>>
  }
  return ran[file] ?? { output: "", errors: "it did not run" }
}

const inSource = ["--import", `${root}test/support/resolve-to-source.ts`]

describe("the README and the pages in docs/", () => {
  beforeAll(() => {
    for (const page of pages) mkdirSync(folderOf(page), { recursive: true })
    for (const program of programs) writeFileSync(fileOf(program.page, program), atItsLine(program))
    for (const { page, file, text } of profilesOfReadmes) writeFileSync(join(folderOf(page), file ?? ""), text)
    const paths = Object.fromEntries(entryPoints().map(({ specifier, source }) => [specifier, [`../../../${source}`]]))
    const config = { extends: "../../../tsconfig.json", compilerOptions: { paths }, include: ["*/*.ts"], exclude: [] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  })

  // This checks all of the source too, ten seconds of work: only a long run does it.
  test.skipIf(size === "quick")("their programs type-check against the source", () => {
    const { status, output } = node([
      `${root}node_modules/typescript/bin/tsc`,
      "-p",
      folder,
      "--pretty",
      "false",
      "--checkers",
      "1",
    ])
    expect(output).toBe("")
    expect(status).toBe(0)
  })

  test.each(runs)("the program in $page at line $code.line prints what the page says", ({ page, code, prints }) => {
    const { output, errors } = outputOf(fileOf(page, code))
    expect(errors).toBe("")
    expect(output.trimEnd()).toBe(prints)
  })

  test.each(readmes)("the profile in %s has twelve lines, and `render` prints the table that stands below it", async (page) => {
    const blocks = blocksOf(page)
    const at = blocks.findIndex(({ language }) => language === "toml")
    const [profile, command, table] = blocks.slice(at)
    const [, given = "", question = ""] = /^npx promptstrata (.*) --question "(.*)"$/.exec(command?.text ?? "") ?? []
    const args = given.split(" ").map((word) => word.replace(/^\.(?=\/)/, folderOf(page)))
    // Each page shows what its readers' machines print.
    const env = { LANG: page.includes("zh-CN") ? "zh_CN.UTF-8" : "en_US.UTF-8" }
    const { code, stdout } = await run([...args, "--question", question], { env })
    expect([code, stdout.trimEnd()]).toEqual([0, table?.text])
    expect([profile?.file, profile?.text.split("\n").length]).toEqual(["luna.toml", 12])
  })
})

describe.each(readmes)("%s", (page) => {
  const text = readFileSync(root + page, "utf8")
  const commands = codeBlocksIn(text).filter(({ language }) => language === "sh")

  test("begins with the other language, a sentence, a picture, and a command that needs no key", () => {
    const other = readmes.find((name) => name !== page) ?? ""
    const [first = "", talk = ""] = text.split("\n## ")
    expect(first).toMatch(/^# promptstrata\n\n\[.+\]\(.+\)\n\n\S.*[.。]\n\n!\[.+\]\(.+\)\n$/)
    expect(first).toContain(`](${other})`)
    expect(codeBlocksIn(talk)[0]?.text).toMatch(/^npx promptstrata chat /)
    expect(codeBlocksIn(talk)[1]?.text).toMatch(/^npm start/)
  })

  // Most words of Chinese have two characters, so two of them count as one word.
  test("has at most 220 lines and 1,800 words", () => {
    const han = text.match(/\p{Script=Han}/gu)?.length ?? 0
    const words = text.replaceAll(/[\p{Script=Han}，。：；、（）“”]/gu, " ").match(/\S+/g)?.length ?? 0
    expect(text.split("\n").length).toBeLessThanOrEqual(220)
    expect(words + han / 2).toBeLessThanOrEqual(1800)
  })

  test("names each program's file in the heading above it, .mjs so that `type` of package.json does not matter", () => {
    const blocks = codeBlocksIn(text).filter(({ language }) => language === "js" || language === "toml")
    expect(blocks.map(({ file }) => file)).toEqual(["luna.toml", "talk.mjs", "prompt.mjs"])
    expect(codeBlocksIn(text).filter(({ language }) => language === "ts")).toEqual([])
  })

  test("names commands that exist, for the package and for a clone", async () => {
    const lines = commands.flatMap(({ text: block }) => [...block.matchAll(/^(?:npx promptstrata|npm start --) ([a-z]+)/gm)])
    const named = [...new Set(lines.map(([, command = ""]) => command))]
    expect(named).toEqual(expect.arrayContaining(["chat", "inspect", "render", "init", "import"]))
    const codes = await Promise.all(named.map(async (command) => (await run([command, "--help"])).code))
    expect(named.filter((_, at) => codes[at] !== 0)).toEqual([])
  })

  test("proves its numbers by benchmarks and tests that exist", () => {
    const benches = readdirSync(`${root}test/bench`)
    const only = [...text.matchAll(/`npm run bench -- --only ([\w-]+)`/g)].map(([, name = ""]) => name)
    const tests = [...text.matchAll(/`npm run test:long -- (\S+)`/g)].map(([, path = ""]) => path)
    expect([only.length, tests.length]).toEqual([3, 1])
    expect(only.filter((name) => !benches.includes(`${name}.bench.ts`))).toEqual([])
    expect(tests.filter((path) => !existsSync(root + path))).toEqual([])
  })

  test("tells the costs that test/bench/RESULTS.md has", () => {
    const results = readFileSync(`${root}test/bench/RESULTS.md`, "utf8")
    const section = results.slice(results.indexOf("## The cost of 60 turns"))
    const thousands = (tokens = "") => `${Math.round(Number(tokens) / 1000)},000`
    const measured = [...section.matchAll(/^\| (layered|fay|stack|soul|root) \| \d+ \| \d+ \| (\d+) \| (\d+) /gm)].slice(0, 5)
    const told = [...text.matchAll(/^\| `(\w+)` \|.*\| ([\d,]+) \| ([\d,]+) \|$/gm)].map(([, ...cells]) => cells)
    expect(told).toEqual(measured.map(([, name, sent, paid]) => [name, thousands(paid), thousands(sent)]))
  })

  test("shows pictures that are packed, at an address in the package", () => {
    const { files, version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { files: string[]; version: string }
    const pictures = [...text.matchAll(/!\[.*\]\((.*)\)/g)].map(([, address = ""]) =>
      address.replace(`https://unpkg.com/promptstrata@${version}/`, ""),
    )
    expect(pictures).toHaveLength(1)
    expect(pictures.filter((picture) => !existsSync(root + picture) || !files.includes(picture))).toEqual([])
  })
})

/** What a page is built of, without its words: headings, code, tables, lists, links. */
function outline(page: string): string[] {
  const text = readFileSync(root + page, "utf8")
  const code = codeBlocksIn(text).map(({ language, file, run: runs }) => `${language} ${file} ${runs}`)
  const lines = text.replaceAll(/^```[\s\S]*?^```$/gm, "```").split("\n")
  const shapes = lines.map((line) => {
    const links = [...line.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) =>
      /^README|\.(?:webp|svg)$/.test(target) ? "" : target.replace(".zh-CN.md", ".md").replace(/#.+/, "#"),
    )
    const programs = line.match(/`npm run [^`]*`/g) ?? []
    const mark = line.startsWith("|") ? `a row of ${line.split("|").length}` : (/^(?:#+|!|- |<!--|```)/.exec(line)?.[0] ?? "")
    return [mark, line === "" ? "" : "text", ...programs, ...links].join(" ")
  })
  return [...shapes, ...code]
}

const twins = pages.filter((page) => page.endsWith(".zh-CN.md"))

test.each(twins)("%s is built as its twin in English", (page) => {
  expect(outline(page)).toEqual(outline(page.replace(".zh-CN.md", ".md")))
})

test.each([...twins, "README.zh-CN.md"])("%s links to pages in Chinese where there are, at headings that they have", (page) => {
  const links = [...readFileSync(root + page, "utf8").matchAll(/\[([^\]]*)\]\((?!https?:)([^)#]+\.md)(?:#([^)]+))?\)/g)]
  const wrong = links.filter(([, label, target = "", anchor]) => {
    const linked = join(root, dirname(page), target)
    if (label === "English") return false
    if (!target.endsWith(".zh-CN.md")) return existsSync(linked.replace(/\.md$/, ".zh-CN.md"))
    return anchor !== undefined && !anchorsOf(readFileSync(linked, "utf8")).includes(anchor)
  })
  expect(wrong.map(([link]) => link)).toEqual([])
})

test("README.zh-CN.md marks the pages that are in English, and no others", () => {
  const links = [...readFileSync(`${root}README.zh-CN.md`, "utf8").matchAll(/\[([^\]]+)\]\((?!https?:|README)([^)#]+\.md)\)/g)]
  const inEnglish = links.filter(([, , page = ""]) => !page.endsWith(".zh-CN.md"))
  expect(links.filter(([, label = ""]) => label.endsWith("（英）")).map(([link]) => link)).toEqual(
    inEnglish.map(([link]) => link),
  )
})

/** The addresses of a page's headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, words = ""]) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}

describe.each([...pages, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])("%s", (file) => {
  const text = readFileSync(root + file, "utf8")

  test("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)].map((match) => match[1] ?? "")
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  test("links only to headings that it has, where it links to itself", () => {
    const headings = anchorsOf(text)
    const links = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = ""]) => anchor)
    expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([])
  })

  test("links only to headings that the linked page has", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+\.md)#([^)]+)\)/g)]
    const wrong = links.filter(([, link = "", anchor = ""]) => {
      const linked = join(root, dirname(file), link)
      return existsSync(linked) && !anchorsOf(readFileSync(linked, "utf8")).includes(anchor)
    })
    expect(wrong.map(([link]) => link)).toEqual([])
  })

  // npm packs these and what `files` names; .ci/try-package.mjs tries the same on what is installed.
  test.skipIf(file === "CONTRIBUTING.md")("N25 links only to what `npm pack` holds, pictures too", () => {
    const { files } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { files: string[] }
    const isPacked = (path: string) =>
      /^(?:README[^/]*|LICENSE|package\.json)$/.test(path) || files.includes(path.split("/")[0] ?? "")
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = ""]) => link)
    const isThere = (path: string) => (path.endsWith(".webp") ? files.includes(path) : isPacked(path))
    expect(links.filter((link) => !isThere(join(dirname(file), link)))).toEqual([])
  })

  test("links only to files that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? "")
    expect(links.filter((link) => !existsSync(join(root, dirname(file), link)))).toEqual([])
  })
})
