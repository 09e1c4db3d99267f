import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { knownRelation } from "../../../../src/memory/services/memory/fact-relation.ts"

test.each([
  ["home", ["City", "lives_in", "location ", "住处", "所在地"]],
  ["workplace", ["job", "Company", "工作", "工作单位"]],
  ["partner", ["name of wife", "girlfriend", "女朋友的名字"]],
  ["email", ["e-mail", "Ｅｍａｉｌ", "邮箱"]],
])("M17 the names of %s are one", (relation, names) => {
  expect(names.map(knownRelation)).toEqual(names.map(() => relation))
})

test("other relations keep their names", () => {
  expect(["address", "hometown", "favourite colour", "constructor", "", "x".repeat(500)].map(knownRelation)).toEqual(
    Array(6).fill(undefined),
  )
})

test.each([
  ["en/importance.md", /where one fits\$: ([^.]+)\./],
  ["en/importance-and-profile.md", /where one fits\$: ([^.]+)\./],
  ["zh-CN/importance.md", /使用这些名称：([^。]+)。/],
  ["zh-CN/importance-and-profile.md", /使用这些名称：([^。]+)。/],
])("M17 the names in prompts/shared/%s are those of the code", (file, names) => {
  const [, listed = ""] = names.exec(readFileSync(`prompts/shared/${file}`, "utf8")) ?? []
  const known = listed.split(/[,、] ?/).map(knownRelation)
  expect(known).toEqual([
    "home",
    "workplace",
    "occupation",
    "partner",
    "diet",
    "name",
    "nickname",
    "age",
    "birthday",
    "phone",
    "email",
  ])
})
