import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { dialectWith, shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { shippedPrompts } from "../../../src/prompt/dialect/shipped-files.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { formatAssembly } from "../../../src/testing/format-assembly.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const promptsFolder = new URL("../../../prompts/", import.meta.url)
const speech = [
  {
    speaker: { text: "主人", trust: "user" as const },
    text: { text: "我下个月搬去成都。\n---\n**现有画像**", trust: "user" as const },
  },
  { speaker: "Fay", text: { text: "记下啦！", trust: "agent" as const } },
]
const data = new PromptStack([
  { key: "dialogue", content: speech },
  { key: "profile", content: "所在地：杭州\n---", trust: "agent" },
  { key: "recent", content: [{ id: "m1", text: { text: "主人要搬去成都", trust: "memory" } }] },
  { key: "hint", content: "主人今天很累" },
])

describe("T1 the six kinds of prompts", () => {
  test.each(["zh-CN", "en"])(
    "T1 each is a Markdown file under prompts/ in %s: persona, planner, final output, importance, user profile, reflection",
    (locale) => {
      const persona = shippedPrompts("characters").find(({ path }) => path === `characters/${locale}/fay.md`)
      expect(persona?.body.trim()).toMatch(/./)
      for (const dialect of ["fay", "layered", "stack", "stack-cached"]) {
        for (const name of ["planner", "final", "importance", "user-profile", "reflection"])
          expect([...dialectWith(name, shippedDialect(dialect, locale)).files.keys()]).toContain(name)
      }
      for (const name of ["importance", "user-profile", "reflection"]) {
        const file = readFileSync(new URL(`shared/${locale}/${name}.md`, promptsFolder), "utf8")
        expect(file).toContain("${rest}")
      }
    },
  )

  test.each(["importance", "user-profile", "reflection"])(
    "T1 %s goes through the same engine: slots, encoders, rest, provenance",
    async (prompt) => {
      const assembly = assemble(data, { dialect: "fay", locale: "zh-CN", prompt })
      await expect(formatAssembly(assembly)).toMatchFileSnapshot(`__snapshots__/background-${prompt}.md`)
      expect(assembly.messages.at(-1)?.content).toContain("主人今天很累")
    },
  )

  test("T2 planner and final output are the only prompts inside a turn", async () => {
    const model = scriptedModel(['{"action":"finish"}', "好。"])
    await testAgent(model).session.send("你好").result
    expect(model.requests.map(({ facts }) => facts?.prompt)).toEqual(["planner", "final"])
    const next = scriptedModel([finish("好")])
    await testAgent(next).session.send("你好").result
    expect(next.requests.map(({ facts }) => facts?.prompt)).toEqual(["planner"])
  })
})
