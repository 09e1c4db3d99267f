import { expect, test } from "vitest"
import { namesInSources } from "../../src/lint/template-names.ts"

const names = (...files: readonly (readonly [path: string, body: string])[]) =>
  Object.fromEntries(
    [...namesInSources(files.map(([path, body]) => ({ path, body }) as never))].map(([name, found]) => [name, [...found].sort()]),
  )

test.each(["characters", "formats", "final", "tools", "skills", "demo"])(
  "the files of %s fill no slot of a dialect",
  (folder) => {
    expect(names([`${folder}/en/planner.md`, "${secret}"])).toEqual({})
  },
)

test("the names of a file are those of all dialects, in slots, conditions and their branches", () => {
  const found = names(
    ["fay/en/planner.md", "${a}\n${b? yes : no}\n"],
    ["stack/en/planner.md", "${a}\n${c}\n"],
    ["stack/zh-CN/final.md", "${d}\n"],
    ["fay/en/notes.txt", "${e}"],
  )
  expect(found).toEqual({ planner: ["a", "b", "c"], final: ["d"] })
})
