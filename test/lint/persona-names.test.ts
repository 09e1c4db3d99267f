import { expect, test } from "vitest"
import { cleanProject, lintProject } from "./lint-folder.ts"

test.each([
  ["你是一个系统", false],
  ["你是系统", false],
  ["你是一位温柔的朋友", false],
  ["你是 AI 助手", false],
  ["You are a helpful assistant", false],
  ["you are the user's friend", false],
  ["You are AI", false],
  ["I am an agent of the office", false],
  ["你是小雪", true],
  ["我是青蓝", true],
  ["你叫 Fay", true],
  ["You are Luna", true],
  ["I'm Dr. Watson", true],
  ["You are Émile", true],
  ["An agent called fay", true],
])("%s: a persona's words name it or not", async (words, isNamed) => {
  const problems = await lintProject({ ...cleanProject, "prompts/characters/en/luna.md": `${words}.\n` })
  const isMissed = problems.some(({ rule, message }) => rule === "persona-traits" && message.includes("a name"))
  expect(isMissed).toBe(!isNamed)
})

test("no problem, hint or description speaks of the requirements' numbers", async () => {
  const broken = {
    ...cleanProject,
    "prompts/layered/en/planner.md": "${role(system)}\n${memories}\n${persona}\nToday is Monday.\n${rest}\n",
  }
  const problems = await lintProject({ ...broken, "prompts/characters/en/luna.md": "Today is Monday.\n" })
  expect(problems.filter(({ message, hint = "" }) => /\([A-Z]\d+/.test(message + hint))).toEqual([])
  expect(problems.map(({ rule }) => rule)).toEqual(expect.arrayContaining(["cache-order", "volatile-value"]))
})
