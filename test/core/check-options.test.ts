import { describe, expect, test } from "vitest"
import { promptstrataMiddleware, toAiSdkPrompt, toAiSdkTools } from "../../src/adapters/models/ai-sdk/index.ts"
import { openStore } from "../../src/adapters/stores/open-store.ts"
import { checkOptions, checkShape, nearName } from "../../src/core/check-options.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import { loadProfile, watchProfile } from "../../src/node/index.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { scriptedModel } from "../../src/testing/scripted-model.ts"
import { near, noOption } from "../support/error-formulas.ts"

/** Options as a program in JavaScript gives them. */
const any = (options: object) => options as never

describe("an unknown option is an error", () => {
  const agent = { profile: resolveProfile(), model: scriptedModel([]) }

  test.each<[string, () => unknown, string]>([
    ["createAgent", () => createAgent(any({ ...agent, tool: [] })), `${noOption("createAgent", "tool")}${near("tools")}`],
    ["its ports", () => createAgent(any({ ...agent, ports: { now: Date.now } })), noOption("ports of createAgent", "now")],
    [
      "its services",
      () => createAgent(any({ ...agent, services: { embedding: {} } })),
      noOption("services of createAgent", "embedding"),
    ],
    [
      "assemble",
      () => assemble(new PromptStack(), any({ budget: 500 })),
      `${noOption("assemble", "budget")}${near("budgetTokens")}`,
    ],
    ["toAiSdkTools", () => toAiSdkTools([], any({ local: "en" })), `${noOption("toAiSdkTools", "local")}${near("locale")}`],
    [
      "toAiSdkPrompt",
      () => toAiSdkPrompt(assemble(new PromptStack(), { prompt: "chat" }), any({ models: "x" })),
      `${noOption("toAiSdkPrompt", "models")}${near("model")}`,
    ],
    [
      "promptstrataMiddleware",
      () => promptstrataMiddleware(any({ stack: new PromptStack(), budget: 500 })),
      `${noOption("promptstrataMiddleware", "budget")}${near("budgetTokens")}`,
    ],
    [
      "promptstrataMiddleware with assemble",
      () => promptstrataMiddleware(any({ assemble: () => undefined, dialect: "soul" })),
      noOption("promptstrataMiddleware", "dialect"),
    ],
    ["resolveProfile", () => resolveProfile(any({ pesona: "x" })), `pesona.${near("persona")}`],
    [
      "a table of resolveProfile",
      () => resolveProfile(any({ budget: { token: 500 }, loop: { maxSteps: 0 } })),
      `loop.maxSteps: expected a whole number from 1 to 1000, found 0; unknown key budget.token.${near("tokens")}`,
    ],
    ["an entry of resolveProfile", () => resolveProfile(any({ prestart: [{ tool: "a", arg: {} }] })), "prestart[0].arg."],
  ])("of %s", (_name, call, message) => {
    expect(call).toThrow(message)
  })

  test.each<[string, () => Promise<unknown>, string]>([
    ["loadProfile", () => loadProfile("fay", any({ dataDir: "x" })), noOption("loadProfile", "dataDir")],
    [
      "watchProfile",
      () => watchProfile("fay", any({ onProblems: () => {} })),
      `${noOption("watchProfile", "onProblems")}${near("onProblem")}`,
    ],
    ["a store on SQLite", () => openStore("data", any({ lease: 1 })), `${noOption("openStore", "lease")}${near("leaseMs")}`],
    ["a store on PostgreSQL", () => openStore(any({ url: "postgres://x", pool: 1 })), noOption("openStore", "pool")],
    [
      "its jobs",
      () => openStore(any({ url: "postgres://x", jobs: { poll: 1 } })),
      `${noOption("jobs of openStore", "poll")}${near("pollMs")}`,
    ],
  ])("of %s", async (_name, call, message) => {
    await expect(call()).rejects.toThrow(message)
  })

  test("one that is undefined counts as absent", () => {
    expect(() => createAgent(any({ ...agent, tool: undefined }))).not.toThrow()
    expect(() => assemble(new PromptStack(), any({ budget: undefined }))).not.toThrow()
    expect(() => resolveProfile(any({ pesona: undefined, budget: { token: undefined } }))).not.toThrow()
  })

  test("a name that is near to none gets the list", () => {
    expect(nearName("quux", ["tools", "model"])).toBe(" Expected one of tools, model.")
    expect(() => checkOptions("f", any({ constructor: 1 }), any({ a: true }))).toThrow('f has no option "constructor".')
  })

  test("the names may stand in one text, in which the compiler wants each of them and no other", () => {
    const given: { readonly a?: number; readonly b?: number } = { a: 1 }
    checkOptions("f", given, "a b")
    expect(() => checkOptions<typeof given, "a b">("f", any({ ab: 1 }), "a b")).toThrow('f has no option "ab".')
    // @ts-expect-error: `b` is missing.
    expect(() => checkOptions("f", given, "a")).not.toThrow()
    // @ts-expect-error: there is no option `c`.
    expect(() => checkOptions("f", given, "a b c")).not.toThrow()
  })

  test("a whole profile has no unknown key", () => {
    const profile = resolveProfile({ mcp: { servers: { files: { command: "x", disabled: true } } } })
    expect(resolveProfile(profile)).toEqual(profile)
  })
})

describe("a value of another form is an error that says where", () => {
  const shape = [{ "name?": "string", parts: [{ type: { text: { text: "string" }, file: { size: "number" } } }] }]

  test.each<[string, unknown, string]>([
    ["[1]", [{ parts: [] }, 5], "of type object as x[1], found 5"],
    ["[0].name", [{ name: 5, parts: [] }], "of type string as x[0].name, found 5"],
    ["[0].parts", [{}], "of type list as x[0].parts, found undefined"],
    ["[0].parts[1].size", [{ parts: [{ type: "text", text: "" }, { type: "file" }] }], "of type number as x[0].parts[1].size"],
    ["a type that there is not", [{ parts: [{ type: "image" }] }], 'of type text or file as x[0].parts[0].type, found "image"'],
    ["a member of every object", [{ parts: [{ type: "constructor" }] }], "as x[0].parts[0].type, found"],
    ["a list of one type", [{ parts: [{ type: ["text"], text: "" }] }], "as x[0].parts[0].type, found"],
  ])("%s", (_, value, words) => {
    expect(() => checkShape("x", value, shape)).toThrow(
      `expected a value ${words.startsWith("as") ? "of type text or file " : ""}${words}`,
    )
  })
})
