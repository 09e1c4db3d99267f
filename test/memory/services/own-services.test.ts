import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { codeBlocksIn } from "../../support/code-blocks.ts"
import { entryPoints } from "../../support/entry-points.ts"
import { root } from "../../support/source-files.ts"

const page = readFileSync(`${root}docs/memory.md`, "utf8")
const section = /^## Services of your own\n.*?(?=^## )/ms.exec(page)?.[0] ?? ""
const programs = codeBlocksIn(section).filter(({ language }) => language === "ts")

mkdirSync(`${root}test/.tmp`, { recursive: true })
const folder = mkdtempSync(`${root}test/.tmp/own-services-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The complaints of the compiler about programs, with the strictest options that a caller may have. */
function complaintsAbout(texts: readonly string[]): string {
  for (const [at, text] of texts.entries()) writeFileSync(join(folder, `service-${at}.ts`), `${text}\nexport {}\n`)
  const paths = Object.fromEntries(entryPoints().map(({ specifier, source }) => [specifier, [`../../../${source}`]]))
  const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false }
  const config = { extends: "../../../tsconfig.json", compilerOptions: { ...strict, paths }, include: ["*.ts"], exclude: [] }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const compiler = `${root}node_modules/typescript/bin/tsc`
  return spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false", "--checkers", "1"], { encoding: "utf8" })
    .stdout
}

describe("the services of one's own in docs/memory.md", () => {
  test("compile under strict, exactOptionalPropertyTypes and skipLibCheck false", () => {
    const types = ["MemoryService {", "UserProfileService {", "ReflectionService {", "JudgeImportance ="]
    expect(programs.map(({ text }, at) => text.includes(`: ${types[at]}`))).toEqual([true, true, true, true])
    expect(complaintsAbout(programs.map(({ text }) => text))).toBe("")
  })
})
