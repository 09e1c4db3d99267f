import { readFileSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { writeFixes } from "../../../src/apps/cli/commands/lint.ts"
import { lint } from "../../../src/lint/lint.ts"
import type { LintContext } from "../../../src/lint/rule.ts"
import { cleanProject, readProject } from "../../lint/lint-folder.ts"

const persona = "prompts/characters/en/luna.md"
const files = { ...cleanProject, [persona]: `${cleanProject[persona]}tea \n` }

async function fix(change: (context: LintContext, folder: string) => LintContext) {
  const { folder, context } = await readProject(files)
  const changed = await writeFixes(change(context, folder), lint(context))
  return { changed, text: readFileSync(`${folder}/${persona}`, "utf8") }
}

describe("writing fixes", () => {
  test("changes the files that have one, and no other", async () => {
    expect(await fix((context) => context)).toEqual({ changed: 1, text: `${cleanProject[persona]}tea\n` })
  })

  test("leaves the library's own files alone", async () => {
    const shipped = (context: LintContext) => ({ ...context, files: context.files.map((file) => ({ ...file, shipped: true })) })
    expect(await fix(shipped)).toEqual({ changed: 0, text: files[persona] })
  })

  test("leaves a file alone that was changed since it was read", async () => {
    const edited = (context: LintContext, folder: string) => {
      writeFileSync(`${folder}/${persona}`, "new words \n")
      return context
    }
    expect(await fix(edited)).toEqual({ changed: 0, text: "new words \n" })
  })
})
