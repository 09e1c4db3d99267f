import { writeFileSync } from "node:fs"
import { expect, onTestFinished, test } from "vitest"
import { type ChatReply, chatChunk, eventStream, startChatServer } from "../../support/chat-server.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { jsonLines } from "../../support/terminal.ts"
import { run } from "./run.ts"

const says = (content: string): ChatReply => ({
  body: eventStream([chatChunk({ content }), chatChunk({}, { finish_reason: "stop" })]),
})
const calls: ChatReply = {
  body: eventStream([
    chatChunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "calculate", arguments: "{}" } }] }),
    chatChunk({}, { finish_reason: "tool_calls" }),
  ]),
}
const refuses = (status: number): ChatReply => ({ status, body: JSON.stringify({ error: { message: "I do not take that." } }) })

/** Runs `doctor --model` against a server that gives these answers: to a plain question, a tool, a picture and a schema. */
async function doctor(
  replies: readonly ChatReply[],
  { args = [], model = "" }: { readonly args?: readonly string[]; readonly model?: string } = {},
) {
  const server = await startChatServer(...replies)
  onTestFinished(() => server.close())
  const profile = `${tempFolder()}/own.toml`
  writeFileSync(profile, `[model]\nid = "small"\n${model}`)
  const env = { OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: server.baseUrl, PROMPTSTRATA_STORE: "" }
  const done = await run(["doctor", "--model", "--locale", "en", "--profile", profile, ...args], { env })
  return { ...done, calls: server.calls }
}

test("doctor --model asks the server what it can, and says what the profile should set", async () => {
  const {
    code,
    stdout,
    stderr,
    calls: asked,
  } = await doctor([says("391"), calls, says("Red"), says('{"answer":391,"unit":"zorks"}')])
  expect(stdout).toBe(
    [
      "openai:small",
      "CAPABILITY   SERVER  USED  SET IN THE PROFILE",
      "tools        yes     no    [model.capabilities] tools = true",
      'attachments  yes     no    [model.capabilities] attachments = ["image/*"]',
      "json_schema  yes     no    [model.capabilities] json_schema = true",
      "reasoning    no      no",
      "",
    ].join("\n"),
  )
  expect([code, stderr]).toEqual([0, ""])
  expect(asked.map(({ body: { tools, response_format: format } }) => [tools !== undefined, format !== undefined])).toEqual([
    ...[
      [false, false],
      [true, false],
      [false, false],
    ],
    [false, true],
  ])
  expect(JSON.stringify(asked[2]?.body)).toContain("data:image/png;base64,")
})

test("doctor --model fails if turns use what the server refuses, and tells what it does not know", async () => {
  const model = '[model.capabilities]\ntools = true\nattachments = ["image/*"]\njson_schema = true'
  const thinks = says("17 times 23</think>391")
  const { code, stdout } = await doctor([thinks, refuses(400), says("A picture."), says("391")], { model, args: ["--json"] })
  expect(code).toBe(1)
  expect(jsonLines(stdout)[0]).toMatchObject({
    capabilities: [
      { name: "tools", does: false, isUsed: true, advice: "[model.capabilities] tools = false" },
      { name: "attachments", does: null, isUsed: true, advice: "" },
      { name: "json_schema", does: false, isUsed: true, advice: "[model.capabilities] json_schema = false" },
      { name: "reasoning", does: true, isUsed: false, advice: "[model.capabilities] reasoning = true" },
    ],
  })
})

test("doctor --model speaks Chinese", async () => {
  const { stdout } = await doctor([says("391"), says("391"), refuses(400), refuses(400)], { args: ["--locale", "zh-CN"] })
  expect(stdout.split("\n").slice(1, 3)).toEqual(["能力         服务  使用  请在角色配置中设置", "tools        否    否"])
})

test.each([
  ["a wrong key", [refuses(401)], "", "Check the key"],
  ["a model that is not there", [refuses(404)], "", "Check the model's name"],
  ["a server that is down after the first answer", [says("391"), refuses(503)], "", "I do not take that."],
  ["a server that is silent", [{ stallFirst: true }], "[limits]\nstep_ms = 50", "gave no whole answer within 50 ms"],
])("doctor --model tells of %s, without the key", async (_, replies, model, expected) => {
  const { code, stdout, stderr } = await doctor(replies, { model })
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr.replaceAll("\n", " ")).toContain(expected)
  expect(stderr).not.toContain("secret")
})

test.each([
  ["en", "No server is set"],
  ["zh-CN", "没有设置模型服务"],
])("doctor --model without a key and an address says so (%s)", async (locale, expected) => {
  const { code, stderr } = await run(["doctor", "--model", "--locale", locale])
  expect([code, stderr]).toEqual([1, expect.stringContaining(expected)])
})
