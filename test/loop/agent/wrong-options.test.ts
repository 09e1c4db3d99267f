import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { type Agent, createAgent } from "../../../src/loop/agent/agent.ts"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import type { TurnResult } from "../../../src/trace/turn-event.ts"

describe("options of createAgent that only JavaScript allows", () => {
  const profile = resolveProfile()
  const model = scriptedModel([])
  const noProfile = "createAgent expected a `profile` of loadProfile or resolveProfile."
  const noModel = "createAgent expected a LanguageModel as `model`."
  const rows: readonly (readonly [string, object, string])[] = [
    ["no model", { profile }, noModel],
    ["a model's name", { profile, model: "gpt" }, noModel],
    ["a list with a hole", { profile, model: [model, undefined] }, noModel],
    ["a promised profile", { profile: Promise.resolve(profile), model }, "createAgent expected an awaited `profile`."],
    ...[undefined, null, 7, "fay", {}].map((given) => [`the profile ${given}`, { profile: given, model }, noProfile] as const),
    ["tools that are no list", { profile, model, tools: 7 }, "createAgent expected a list of objects as `tools`."],
    ["a plugin that is none", { profile, model, plugins: [null] }, "createAgent expected a list of objects as `plugins`."],
    ["observers that are no list", { profile, model, observers: 7 }, "createAgent expected a list of objects as `observers`."],
    ...[7, null].map(
      (store) =>
        [
          `the store ${store}`,
          { profile, model, store },
          `expected a value of type object as the store of createAgent, found ${store}.`,
        ] as const,
    ),
    [
      "a store that is none",
      { profile, model, store: {} },
      "expected a value of type function as load of the store of createAgent, found undefined.",
    ],
    ["a hook that is none", { profile, model, hooks: [7] }, "createAgent expected a list of objects as `hooks`."],
  ]
  test.each(rows)("%s is refused at once, not in the first turn", (_, options, message) => {
    expect(() => createAgent(options as unknown as AgentOptions)).toThrow(expect.objectContaining({ code: "usage", message }))
  })
})

type Call = (at: { readonly agent: Agent; readonly session: Session }, value: never) => unknown

/** The calls of an agent and a session, each with one argument that the test chooses. */
const calls: Readonly<Record<string, Call>> = {
  session: ({ agent }, value) => agent.session(value),
  "session, conversation": ({ agent }, value) => agent.session({ conversation: value, audience: "private" }),
  "session, audience": ({ agent }, value) => agent.session({ conversation: "c", audience: value }),
  respond: ({ agent }, value) => agent.respond(value),
  "respond, a message": ({ agent }, value) => agent.respond([value]),
  "respond, content": ({ agent }, value) => agent.respond([{ role: "user", content: value }]),
  "respond, name": ({ agent }, value) => agent.respond([{ role: "user", content: "hi", name: value }]),
  "respond, atMs": ({ agent }, value) => agent.respond([{ role: "user", content: "hi", atMs: value }]),
  "respond, attachments": ({ agent }, value) => agent.respond([{ role: "user", content: "hi", attachments: value }]),
  "respond, options": ({ agent }, value) => agent.respond([{ role: "user", content: "hi" }], value),
  send: ({ session }, value) => session.send(value),
  "send, options": ({ session }, value) => session.send("hi", value),
  "send, from": ({ session }, value) => session.send("hi", { from: value }),
  "send, the speaker's id": ({ session }, value) => session.send("hi", { from: { id: value } }),
  "send, the speaker's name": ({ session }, value) => session.send("hi", { from: { id: "ann", name: value } }),
  "send, attachments": ({ session }, value) => session.send("hi", { attachments: value }),
  "send, an attachment": ({ session }, value) => session.send("hi", { attachments: [value] }),
  "send, inject": ({ session }, value) => session.send("hi", { inject: value }),
  "send, mentions": ({ session }, value) => session.send("hi", { mentions: value }),
  "send, a mention": ({ session }, value) => session.send("hi", { mentions: [value] }),
  "send, replyTo": ({ session }, value) => session.send("hi", { replyTo: value }),
  "send, signal": ({ session }, value) => session.send("hi", { signal: value }),
  "send, stopWhen": ({ session }, value) => session.send("hi", { stopWhen: value }),
  "send, prepareStep": ({ session }, value) => session.send("hi", { prepareStep: value }),
  "send, answerLimit": ({ session }, value) => session.send("hi", { answerLimit: value }),
  "send, stops of answerLimit": ({ session }, value) => session.send("hi", { answerLimit: { stop: value } }),
  "send, a stop of answerLimit": ({ session }, value) => session.send("hi", { answerLimit: { stop: [value] } }),
  "send, maxTokens of answerLimit": ({ session }, value) => session.send("hi", { answerLimit: { maxTokens: value } }),
  wake: ({ session }, value) => session.wake(value),
  "wake, options": ({ session }, value) => session.wake("Say hi.", value),
  "wake, to": ({ session }, value) => session.wake("Say hi.", { to: value }),
  "wake, trust": ({ session }, value) => session.wake("Say hi.", { trust: value }),
  hear: ({ session }, value) => session.hear(value),
  "hear, options": ({ session }, value) => session.hear("hi", value),
  "hear, atMs": ({ session }, value) => session.hear("hi", { atMs: value }),
  receive: ({ session }, value) => session.receive(value),
  "receive, options": ({ session }, value) => session.receive("hi", value),
  preview: ({ session }, value) => session.preview(value),
  "preview, options": ({ session }, value) => session.preview("hi", value),
  "preview, prompt": ({ session }, value) => session.preview("hi", { prompt: value }),
  history: ({ session }, value) => session.history(value),
  explainMemories: ({ session }, value) => session.explainMemories(value),
  deny: ({ session }, value) => session.deny("id", value),
  "regenerate, options": ({ session }, value) => session.regenerate(value),
  edit: ({ session }, value) => session.edit("id", value),
}

/** What a program in JavaScript passes where something else belongs, by name; each call accepts some of them. */
const values = {
  number: 5,
  NaN,
  true: true,
  null: null,
  function: (value: unknown) => value,
  getter: () => [],
  symbol: Symbol("s"),
}

/** The values that fit after all. */
const allowed: Readonly<Record<string, true>> = {
  "respond, atMs number": true,
  "hear, atMs number": true,
  "send, attachments null": true,
  "send, stopWhen function": true,
  "send, stopWhen getter": true,
  "send, prepareStep function": true,
  "send, prepareStep getter": true,
  "send, maxTokens of answerLimit number": true,
}

/** The error of a call: thrown, rejected or of its turn. */
async function errorOf(call: Call, value: unknown): Promise<unknown> {
  const agent = createAgent({ profile: resolveProfile(), model: scriptedModel(["Hi."]), onWarning: () => undefined })
  const session = agent.session({ conversation: "c", audience: "group" })
  try {
    const made = (await call({ agent, session }, value as never)) as { readonly result?: Promise<TurnResult> } | undefined
    const result = await made?.result
    return result?.ok === false ? result.error : undefined
  } catch (error) {
    return error
  }
}

describe("arguments that only JavaScript allows", () => {
  test.each(Object.entries(calls))("of %s are refused in words that say what was expected", async (name, call) => {
    for (const [given, value] of Object.entries(values)) {
      const error = await errorOf(call, value)
      const isAllowed = error === undefined && `${name} ${given}` in allowed
      if (isAllowed) continue
      expect(PromptStrataError.isInstance(error), `${given}: ${error}`).toBe(true)
      expect((error as Error).message, given).not.toMatch(/is not a function|Cannot |is not iterable|Invalid array|serialize/u)
    }
  })

  test.each(["typo", "Author"])("trust %s of a wake is refused before the turn begins", (trust) => {
    const agent = createAgent({ profile: resolveProfile(), model: scriptedModel([]) })
    const message = `expected trust author, user, agent, tool or memory of wake, found "${trust}".`
    expect(() => agent.session("c").wake("Say hi.", { trust: trust as never })).toThrow(
      expect.objectContaining({ code: "usage", message }),
    )
  })

  test("an id that is a number is refused with what it was and should be", async () => {
    const error = await errorOf(calls["send, the speaker's id"] as Call, 42)
    expect(error).toMatchObject({
      code: "usage",
      message: expect.stringContaining("expected a value of type string as the id of a speaker, found 42."),
    })
  })
})
