import { expect, test } from "vitest"
import { z } from "zod"
import { aiSdkModel } from "../../../src/adapters/models/ai-sdk/ai-sdk-model.ts"
import { fromAiSdkTools, toAiSdkPrompt } from "../../../src/adapters/models/ai-sdk/index.ts"
import { openaiModel } from "../../../src/adapters/models/openai/openai-model.ts"
import { toOpenaiMessages } from "../../../src/adapters/models/openai/request-body.ts"
import { tiktokenCounter } from "../../../src/adapters/tokenizers/tiktoken/index.ts"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { truncateText } from "../../../src/prompt/assemble/truncate-text.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { completeTool, defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectStablePrefix, scriptedModel } from "../../../src/testing/index.ts"
import { type Refused, refusals } from "../../support/refusals.ts"

const any = (value: unknown) => value as never
const define =
  (given: object): Refused =>
  () =>
    defineTool(any({ name: "t", description: "d", execute: () => "", ...given }))
const vendor = (more: object = {}) => ({ "~standard": { version: 1, vendor: "mine", validate: () => ({ value: 1 }), ...more } })
const converting = (input: () => unknown) => ({ inputSchema: vendor({ jsonSchema: { input } }) })

test("what is refused as a tool, word for word", async () => {
  const calls: Record<string, Refused> = {
    ...Object.fromEntries(
      ["", " a", "1a", "a b", "ä", "a".repeat(65), 5].map((name) => [`the name ${String(name).slice(0, 9)}`, define({ name })]),
    ),
    ...Object.fromEntries(["_", "a.b-c_1", "a".repeat(64)].map((name) => [`the name ${name.slice(0, 9)}…`, define({ name })])),
    "another group": define({ group: "home" }),
    "an approval that is a text": define({ needsApproval: "yes" }),
    "no description": define({ description: undefined }),
    ...Object.fromEntries([0, -1, "5", Number.NaN].map((value) => [`${value} ms`, define({ timeoutMs: value })])),
    "no characters": define({ maxResultCharacters: 0 }),
    "a schema without a JSON schema": define({ inputSchema: vendor() }),
    "a schema of an unknown vendor": define({ inputSchema: { "~standard": { validate: () => 1 } } }),
    "a schema that cannot be converted": define(
      converting(() => {
        throw new Error("no dates")
      }),
    ),
    "a schema of no object": define({ inputSchema: z.string() }),
    "a JSON schema of a list": define({ jsonSchema: { type: "array" } }),
    "a misspelt setting": define({ timeOutMs: 5 }),
    ...Object.fromEntries(
      [null, "x", 5, {}, { name: " " }, { name: 5 }, { name: "t" }, { name: "t", execute: 5 }].map((value) => [
        `the tool ${JSON.stringify(value)}`,
        () => completeTool(value),
      ]),
    ),
    "a tool that defineTool did not make": () => completeTool({ name: "t", execute: () => "", check: () => "" }),
    "a provider's tool": () => fromAiSdkTools(any({ search: { type: "provider", execute: () => "" } })),
    "an older provider's tool": () => fromAiSdkTools(any({ search: { type: "provider-defined" } })),
    "a tool without execute": () => fromAiSdkTools(any({ search: { description: "d" } })),
    "a tool with a promised schema": () =>
      fromAiSdkTools(any({ search: { execute: () => "", inputSchema: { jsonSchema: Promise.resolve({}) } } })),
  }
  expect(await refusals(calls)).toMatchSnapshot()
})

test("what models, counters and prompts refuse, word for word", async () => {
  const picture = { name: "a.png", mediaType: "image/png", blob: "b1" }
  const shown = {
    messages: [{ role: "user" as const, content: "see", parts: [{ end: 3, attachment: picture }] }],
    spans: [],
    prefixes: [],
  }
  const counter = { exact: true, count: (text: string) => text.length }
  const calls: Record<string, Refused> = {
    "no model of the AI SDK": () => aiSdkModel(any(undefined)),
    "the name of a model": () => aiSdkModel(any("gpt")),
    "a model of another specification": () => aiSdkModel(any({ specificationVersion: "v1", doStream: () => undefined })),
    "an object that is no model": () => aiSdkModel(any({})),
    "a client and a key": () => openaiModel(any({ model: "m", client: {}, apiKey: "k" })),
    "a client and headers": () => openaiModel(any({ model: "m", client: {}, headers: {} })),
    "messages in extraBody": () => openaiModel(any({ model: "m", extraBody: { messages: [] } })),
    "stream in extraBody": () => openaiModel(any({ model: "m", extraBody: { stream: false } })),
    "a misspelt option": () => openaiModel(any({ model: "m", baseURL: "x" })),
    "a picture without bytes for OpenAI": () => toOpenaiMessages(any(shown)),
    "a picture without bytes for the AI SDK": () => toAiSdkPrompt(any(shown)),
    "no encoding": () => tiktokenCounter(any({})),
    "an empty model": () => tiktokenCounter({ model: "" }),
    "a misspelt encoding": () => tiktokenCounter(any({ encoding: "o200k_bas" })),
    "an encoding that is none": () => tiktokenCounter(any({ encoding: "morse" })),
    "a notice that has no room": () => truncateText("word ".repeat(50), { maxTokens: 3, counter }),
    "a dialect that is none": () => assemble(new PromptStack(), any({ dialect: "nope" })),
    "one request to compare": () => expectStablePrefix(any([shown])),
    "a script that is over": async () => {
      const model = scriptedModel(["one"])
      const read = async () => {
        for await (const _ of model.stream(
          { messages: [{ role: "user", content: "hi" }] },
          { signal: new AbortController().signal },
        ));
      }
      await read()
      await read()
    },
    "a script that was not asked": () => scriptedModel(["one", "two"], { id: "own" }).assertDone(),
  }
  expect(await refusals(calls)).toMatchSnapshot()
})
