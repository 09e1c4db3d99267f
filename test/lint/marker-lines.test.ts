import { expect, test } from "vitest"
import { lint } from "../../src/lint/lint.ts"
import { cleanProject, readProject } from "./lint-folder.ts"

test.each([
  ["~~~", false],
  ["~~~~", true],
  ["~~~~~", true],
])("a line that begins as %j is the dialect's own only if that is four characters long", async (head, isTold) => {
  const luna = `---\nname: Luna\n---\n${head} You are Luna.\n`
  const { context } = await readProject({ ...cleanProject, "prompts/characters/en/luna.md": luna })
  const profiles = context.profiles.map((profile) => {
    const { dialect } = profile
    return dialect ? { ...profile, dialect: { ...dialect, markers: { ...dialect.markers, heads: [head] } } } : profile
  })
  const found = lint({ ...context, profiles }).filter(({ rule }) => rule === "marker-lines")
  expect(found.map(({ line }) => line)).toEqual(isTold ? [4] : [])
})
