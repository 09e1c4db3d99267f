import { readFileSync, statSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { lintRules } from "../../../src/lint/lint.ts"
import { cleanProject } from "../../lint/lint-folder.ts"
import { near } from "../../support/error-formulas.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const persona = "prompts/characters/en/luna.md"

/** Runs `lint` on the only profile of a project. The folder's path is removed from the output. */
async function lintIn(files: Readonly<Record<string, string>>, ...args: string[]) {
  const folder = tempFolder({ ...cleanProject, ...files })
  const { code, stdout, stderr } = await run(["lint", `${folder}/profiles/luna.toml`, ...args])
  const plain = (text: string) => text.replaceAll(`${folder}/`, "")
  return { code, stdout: plain(stdout), stderr: plain(stderr), folder }
}

describe("promptstrata lint", () => {
  test("says where nothing is wrong, and ends well", async () => {
    expect(await lintIn({})).toMatchObject({ code: 0, stdout: "0 errors, 0 warnings in 2 files\n", stderr: "" })
  })

  test("shows each problem with its place, rule, lines, caret and advice; an error fails", async () => {
    const { code, stdout } = await lintIn({
      "prompts/layered/en/question.md": "${speakr}:\n${text}\n",
      [persona]: `${cleanProject[persona]}You like \u{202e}tea. \n`,
    })
    expect(code).toBe(1)
    expect(stdout.replaceAll(/ +$/gm, "")).toMatchInlineSnapshot(`
      "prompts/characters/en/luna.md:5:10 error expected characters one can see, found characters that turn the direction of writing: U+202E. invisible-characters
      4 | You are Luna, a kind and playful friend. You speak briefly and call the
      5 | You like �tea.
        |          ^
      6 |
      They are removed before a model sees the text; remove them here too.
      Use --fix to fix it.

      prompts/characters/en/luna.md:5:15 warning expected no white space at the end of a line. white-space
      4 | You are Luna, a kind and playful friend. You speak briefly and call the
      5 | You like �tea.
        |               ^
      6 |
      Use --fix to fix it.

      prompts/layered/en/question.md:1:1 error nothing fills \${speakr}. Did you mean "speaker"? unknown-slot
      1 | \${speakr}:
        | ^
      2 | \${text}

      2 errors, 1 warning in 3 files
      "
    `)
  })

  test("takes what another profile in the same folder uses for used, wherever that folder is", async () => {
    const profile = (persona: string) => `locale = "en"\n[prompt]\npersona = "${persona}"\n`
    const words = cleanProject[persona] ?? ""
    const folder = tempFolder({
      "bots/luna.toml": profile("luna"),
      "bots/mei.toml": profile("mei"),
      "bots/pyproject.toml": '[project]\nname = "bots"\n',
      "bots/prompts/characters/en/luna.md": words,
      "bots/prompts/characters/en/mei.md": words,
      "bots/prompts/characters/en/kai.md": words,
    })
    const { stdout } = await run(["lint", `${folder}/bots/luna.toml`, "--format", "json"])
    const { problems } = JSON.parse(stdout)
    expect(problems).toMatchObject([{ rule: "dead-file", file: `${folder}/bots/prompts/characters/en/kai.md` }])
  })

  test("warnings fail only with --strict", async () => {
    const files = { [persona]: `${cleanProject[persona]}tea \n` }
    expect((await lintIn(files)).code).toBe(0)
    expect((await lintIn(files, "--strict")).code).toBe(1)
  })

  test("--format json prints the problems as data", async () => {
    const { code, stdout } = await lintIn({ [persona]: `${cleanProject[persona]}tea \n` }, "--format", "json")
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      files: 2,
      errors: 0,
      warnings: 1,
      fixed: 0,
      problems: [{ rule: "white-space", severity: "warning", file: persona, line: 5, column: 4, endColumn: 5 }],
    })
  })

  test("--rule runs only what it names, and an unknown one is named with a suggestion", async () => {
    const files = { [persona]: "x \n" }
    expect((await lintIn(files, "--rule", "white-space")).stdout).toContain("0 errors, 1 warning in 2 files")
    expect((await lintIn(files, "--rule", "skill", "--rule", "skill-size")).stdout).toBe("0 errors, 0 warnings in 2 files\n")
    const { code, stderr } = await lintIn(files, "--rule", "whitespace")
    expect(code).toBe(2)
    expect(stderr).toContain(`expected a rule, found "whitespace".${near("white-space")}`)
  })

  test("--fix mends what has one meaning, keeps a file's mode, and touches nothing else", async () => {
    const broken = `\u{feff}${cleanProject[persona]}tea \r\nand\u{200b} honey\n`
    const { code, stdout, folder } = await lintIn({ [persona]: broken }, "--fix")
    expect({ code, stdout }).toEqual({ code: 0, stdout: "0 errors, 0 warnings in 2 files · 4 fixed\n" })
    expect(readFileSync(`${folder}/${persona}`, "utf8")).toBe(`${cleanProject[persona]}tea\nand honey\n`)
    expect(readFileSync(`${folder}/profiles/luna.toml`, "utf8")).toBe(cleanProject["profiles/luna.toml"])
    expect(statSync(`${folder}/${persona}`).mode & 0o777).toBe(statSync(`${folder}/profiles/luna.toml`).mode & 0o777)
  })

  test("a file that turns the terminal is shown without doing so", async () => {
    const { stdout } = await lintIn({ [persona]: `${cleanProject[persona]}tea \u{1b}[31mred\u{202e}\n` })
    expect(["\u{1b}", "\u{202e}"].filter((character) => stdout.includes(character))).toEqual([])
  })

  test("one broken profile does not hide another one's problems", async () => {
    const folder = tempFolder({ ...cleanProject, "profiles/sol.toml": "[promt]\n", [persona]: "x \n" })
    const { code, stdout } = await run(["lint", `${folder}/profiles/sol.toml`, `${folder}/profiles/luna.toml`])
    expect(code).toBe(1)
    expect(stdout).toMatch(/sol\.toml:1:2 error .* promt\./)
    expect(stdout).toContain("luna.md:1:2 warning expected no white space at the end of a line.")
  })

  test("--prompts looks at a folder of prompts without any profile", async () => {
    const folder = tempFolder({ "p/layered/en/planner.md": "${question}\n" })
    const { code, stdout } = await run(["lint", "--prompts", `${folder}/p`, "--rule", "rest-slot"])
    expect(code).toBe(1)
    expect(stdout).toContain("planner.md:1:1 error expected a ${rest} slot in a prompt file, found none. rest-slot")
  })

  test("without a profile takes those in ./profiles, here the shipped ones, which are clean", async () => {
    expect(await run(["lint", "--strict"])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Checked the profiles of promptstrata instead"),
    })
  })

  test("a profile that is not there is an error with the known ones; wrong usage ends with 2", async () => {
    const missing = await run(["lint", "fayy"])
    expect(missing.code).toBe(1)
    expect(missing.stderr).toContain(near("fay"))
    expect((await run(["lint", "--format", "xml"])).code).toBe(2)
  })

  test("--trace takes what chat --json --show trace prints", async () => {
    const prestart = [{ id: "1", tool: "slow", args: {}, status: "ok", result: "y".repeat(5000), durationMs: 1 }]
    const line = JSON.stringify({ type: "turn-end", result: { ok: true, trace: { prestart, runs: [] } } })
    const folder = tempFolder({ "turns.jsonl": `{"type":"turn-start"}\n${line}\n\n`, "bad.jsonl": "no\n" })
    expect((await lintIn({}, "--trace", `${folder}/turns.jsonl`)).stdout).toContain("tool slow: expected results of at most 2000")
    expect(await lintIn({}, "--trace", `${folder}/bad.jsonl`)).toMatchObject({ code: 1 })
  })

  test("--list-rules prints every rule", async () => {
    const { code, stdout } = await run(["lint", "--list-rules"])
    expect({
      code,
      rules: stdout
        .trim()
        .split("\n")
        .map((row) => row.split(" ")[0]),
    }).toEqual({
      code: 0,
      rules: lintRules.map(({ name }) => name),
    })
  })
})
