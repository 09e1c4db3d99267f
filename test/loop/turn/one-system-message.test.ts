import { afterEach, expect, test } from "vitest"
import { shippedDialectFiles } from "../../../src/node/read-dialect.ts"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const body = "${role(system)}\nfirst ${persona}\n${role(user)}\n${question}\n${rest}\n${role(system)}\nsecond"
const shipped = shippedDialectFiles("layered", "en")
const dialect = compileDialect({
  ...shipped,
  files: shipped.files.map((file) =>
    file.path.endsWith("/planner.md")
      ? { ...file, attributes: { omit: ["tools", "history", "steps", "runs", "fault", "note"] }, body }
      : file,
  ),
})

test.each([
  { severalSystemMessages: true, roles: ["system", "user", "system"], first: /first [\s\S]*$/ },
  { severalSystemMessages: false, roles: ["system", "user"], first: /^first [\s\S]*\n\nsecond$/ },
])("a model with severalSystemMessages $severalSystemMessages gets $roles", async ({ severalSystemMessages, roles, first }) => {
  const model = scriptedModel([finish("ok")], { capabilities: { severalSystemMessages } })
  await testAgent(model, { dialect }).session.send("hello").result
  const messages = model.requests[0]?.messages ?? []
  expect(messages.map(({ role }) => role)).toEqual(roles)
  expect(messages[0]?.content).toMatch(first)
})
