import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { lint } from "../../src/lint/lint.ts"
import { namesInSources } from "../../src/lint/template-names.ts"
import { readLintFiles } from "../../src/node/lint/read-lint-files.ts"
import { shippedProfilesFolder } from "../../src/node/shipped-files.ts"
import { shippedPrompts } from "../../src/prompt/dialect/shipped-files.ts"
import { inOneLine } from "./lint-folder.ts"

const profiles = readdirSync(shippedProfilesFolder)
  .filter((file) => file.endsWith(".toml"))
  .map((file) => join(shippedProfilesFolder, file))
const context = await readLintFiles({ profiles })

describe("the shipped files", () => {
  test("are all read: every prompt and every profile, in both languages", () => {
    expect(context.files.filter(({ kind }) => kind !== "profile").map(({ file }) => file)).toEqual(
      shippedPrompts().map(({ path }) => path),
    )
    expect(context.profiles.map(({ locale }) => locale)).toEqual(profiles.flatMap(() => ["en", "zh-CN"]))
    expect(context.profiles.filter(({ profile }) => profile === undefined)).toEqual([])
  })

  test("have no problem", () => {
    expect(lint(context).map(inOneLine)).toEqual([])
  })

  test("have slots of the same names in each language, so that those of English are enough", () => {
    expect(context.shippedNames).toEqual(namesInSources(shippedPrompts()))
  })

  test("of the dialects fay, layered and stack have no slot that the library does not fill", () => {
    const strict = { ...context, shippedNames: new Map() }
    const files = context.files.filter(({ folder }) => ["fay", "layered", "stack", "stack-cached"].includes(folder))
    const unknown = lint({ ...strict, files }).filter(({ rule }) => rule === "unknown-slot")
    expect(files.length).toBeGreaterThan(60)
    expect(unknown.map(inOneLine)).toEqual([])
  })
})
