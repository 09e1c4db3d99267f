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

const readme = readFileSync(`${root}README.md`, "utf8")
const docs = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).map((name) => `docs/${name.replaceAll("\\", "/")}`)
const pages = ["README.md", ...docs.filter((page) => page.endsWith(".md"))]

/** A block of a page. */
interface PageBlock extends CodeBlock {
  readonly page: string
}

const blocksOf = (page: string): PageBlock[] =>
  codeBlocksIn(readFileSync(root + page, "utf8")).map((block) => ({ ...block, page }))
const programs = pages.flatMap(blocksOf).filter(({ language }) => language === "ts")
const runs = pages.flatMap((page) => runsIn(blocksOf(page)).map(({ code, prints }) => ({ page, code, prints })))

mkdirSync(`${root}test/.tmp`, { recursive: true })
const folder = mkdtempSync(`${root}test/.tmp/readme-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fileOf = (page: string, { line }: CodeBlock) => join(folder, `${page.replaceAll(/\W/g, "-")}-line-${line}.ts`)

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
    for (const program of programs) writeFileSync(fileOf(program.page, program), atItsLine(program))
    const paths = Object.fromEntries(entryPoints().map(({ specifier, source }) => [specifier, [`../../../${source}`]]))
    const config = { extends: "../../../tsconfig.json", compilerOptions: { paths }, include: ["*.ts"], exclude: [] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  })

  // This checks all of the source too, ten seconds of work: only a long run does it.
  test.skipIf(size === "quick")("their programs type-check against the source", () => {
    const { status, output } = node([`${root}node_modules/typescript/bin/tsc`, "-p", folder, "--pretty", "false"])
    expect(output).toBe("")
    expect(status).toBe(0)
  })

  test.each(runs)("the program in $page at line $code.line prints what the page says", ({ page, code, prints }) => {
    const { output, errors } = outputOf(fileOf(page, code))
    expect(errors).toBe("")
    expect(output.trimEnd()).toBe(prints)
  })

  test("the first screen of the README has one sentence, `npm install`, a clone's two commands, the smallest program and what it prints", () => {
    const firstScreen = readme.slice(0, readme.indexOf("\n## "))
    expect(firstScreen.split("\n").length).toBeLessThanOrEqual(50)
    expect(firstScreen).toMatch(/^# promptstrata\n\n\S.*\.\n\n/)
    // Who only reads on learns first how to get it.
    expect(codeBlocksIn(firstScreen)[0]?.text).toMatch(/^npm install promptstrata /)
    expect(firstScreen).toContain("npm start")
    expect(firstScreen).toContain("npm test")
    expect(runsIn(codeBlocksIn(firstScreen)).length).toBeGreaterThan(0)
  })
})

test("every command of the README runs in a clone: npm start with a command that exists", async () => {
  const commands = [...readme.matchAll(/npm start (?:--silent )?-- ([a-z][a-z ]*[a-z])/g)].map((match) => match[1] ?? "")
  expect(commands).toEqual(expect.arrayContaining(["init", "lint", "memory list", "mcp list", "chat"]))
  const codes = await Promise.all(commands.map(async (command) => (await run([...command.split(" "), "--help"])).code))
  expect(commands.filter((_, at) => codes[at] !== 0)).toEqual([])
  expect(codeBlocksIn(readme).filter(({ text }) => text.includes("npx promptstrata"))).toEqual([])
})

describe.each([...pages, "CONTRIBUTING.md", "SECURITY.md"])("%s", (file) => {
  const text = readFileSync(root + file, "utf8")

  test("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)].map((match) => match[1] ?? "")
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  test("links only to files that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? "")
    expect(links.filter((link) => !existsSync(join(root, dirname(file), link)))).toEqual([])
  })
})
