import fc from "fast-check"
import { expect, test } from "vitest"
import { terminalUser } from "../../../../src/apps/cli/open-agent.ts"
import { callerOf } from "../../../../src/apps/cli/serve/serve.ts"
import { openKeys } from "../../../../src/apps/cli/serve/server-keys.ts"

const host = { host: "localhost:8787" }
const authorization = "Bearer k"
const tooLong = "u".repeat(201)
const ask = (key: string | undefined, headers: Record<string, string>) =>
  callerOf(openKeys({ key, onProblem: () => undefined }))(new Request("http://127.0.0.1/", { headers }))

test.each<[string | undefined, Record<string, string>, object | undefined]>([
  [undefined, host, { user: terminalUser, conversation: undefined }],
  [undefined, { ...host, "x-conversation": "c" }, { user: terminalUser, conversation: "c" }],
  [undefined, { host: "[::1]:1", origin: "http://127.0.0.1:3000" }, { user: terminalUser, conversation: undefined }],
  ["k", {}, undefined],
  ["k", { authorization: "Bearer kk" }, undefined],
  ["k", { authorization, host: "bot.test" }, { user: terminalUser, conversation: undefined }],
  ["k", { authorization, "x-user": "ann" }, { user: "ann", conversation: undefined }],
  ["k", { authorization, "x-user": "a/b", "x-conversation": "c" }, { user: "a/b", conversation: "a%2Fb/c" }],
  ["k", { authorization, "x-conversation": "terminal-2" }, { user: terminalUser, conversation: "terminal-2" }],
  ["k", { authorization, "x-conversation": "alice/c1" }, { user: terminalUser, conversation: "alice%2Fc1" }],
  ["k", { authorization, "x-user": "u".repeat(200) }, { user: "u".repeat(200), conversation: undefined }],
])("with the key %j and %j comes %j", (key, headers, caller) => {
  expect(ask(key, headers)).toEqual(caller)
})

test.each<[string | undefined, Record<string, string>, object]>([
  [undefined, {}, { param: "host", message: "The host of the request is not this computer. A server for others needs a key." }],
  [undefined, { host: "bot.test" }, { param: "host" }],
  [
    undefined,
    { ...host, origin: "https://bot.test" },
    { param: "origin", message: "The request comes from a web page of another computer." },
  ],
  [undefined, { ...host, origin: "null" }, { param: "origin" }],
  [undefined, { ...host, "x-user": "ann" }, { param: "x-user", message: "x-user needs a server with a key." }],
  [
    "k",
    { authorization, "x-user": tooLong },
    { status: 400, param: "x-user", message: "Expected 1 to 200 ASCII characters without spaces in x-user." },
  ],
  ["k", { authorization, "x-user": terminalUser }, { param: "x-user", message: expect.stringContaining("leave x-user out") }],
  ["k", { authorization, "x-conversation": "a b" }, { status: 400, param: "x-conversation" }],
  ["k", { authorization, "x-conversation": "" }, { status: 400, param: "x-conversation" }],
])("with the key %j and %j is a refusal %j", (key, headers, refusal) => {
  expect(() => ask(key, headers)).toThrow(expect.objectContaining({ status: 403, ...refusal }))
})

test("N1 two requests name one conversation, or have one user, only if they say the same user and the same conversation", () => {
  // Few characters, so that names meet often.
  const name = fc.string({ unit: fc.constantFrom("a", "/", "%", "2", "F", "."), minLength: 1, maxLength: 5 })
  const asked = fc.record({
    user: fc.option(name, { nil: undefined }),
    conversation: fc.option(name, { nil: undefined }),
    key: fc.constantFrom("none", "server", "own"),
  })
  const said = (request: typeof asked extends fc.Arbitrary<infer T> ? T : never) => {
    const { conversation, key } = request
    // Without a key nobody can name a user, and a key of a user's own speaks for that user.
    const user = key === "none" ? undefined : request.user
    const headers = { ...host, ...(conversation !== undefined && { "x-conversation": conversation }) }
    const named = user === undefined ? {} : { "x-user": user }
    if (key === "none") return { user, conversation, caller: ask(undefined, headers) }
    if (key === "own" && user !== undefined)
      return { user, conversation, caller: callerOf(() => ({ user }))(new Request("http://127.0.0.1/", { headers })) }
    return { user, conversation, caller: ask("k", { ...headers, ...named, authorization }) }
  }
  fc.assert(
    fc.property(asked, asked, (one, other) => {
      const [a, b] = [said(one), said(other)]
      if (a.caller === undefined || b.caller === undefined) throw new Error("Both have a key.")
      expect(a.caller.user === b.caller.user).toBe(a.user === b.user)
      const isOne = a.user === b.user && a.conversation === b.conversation
      if (a.conversation !== undefined && b.conversation !== undefined)
        expect(a.caller.conversation === b.caller.conversation).toBe(isOne)
    }),
    {
      numRuns: 300,
      examples: [
        [
          { user: "a", conversation: "2", key: "server" },
          { user: undefined, conversation: "a/2", key: "server" },
        ],
      ],
    },
  )
})
