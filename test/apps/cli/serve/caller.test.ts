import { expect, test } from "vitest"
import { terminalUser } from "../../../../src/apps/cli/open-agent.ts"
import { callerOf } from "../../../../src/apps/cli/serve/caller.ts"

const host = { host: "localhost:8787" }
const authorization = "Bearer k"
const tooLong = "u".repeat(201)

test.each<[string | undefined, Record<string, string>, object | undefined]>([
  [undefined, host, { user: terminalUser, conversation: undefined }],
  [undefined, { ...host, "x-conversation": "c" }, { user: terminalUser, conversation: "c" }],
  [undefined, { host: "[::1]:1", origin: "http://127.0.0.1:3000" }, { user: terminalUser, conversation: undefined }],
  ["k", {}, undefined],
  ["k", { authorization: "Bearer kk" }, undefined],
  ["k", { authorization, host: "bot.test" }, { user: terminalUser, conversation: undefined }],
  ["k", { authorization, "x-user": "ann" }, { user: "ann", conversation: undefined }],
  ["k", { authorization, "x-user": "a/b", "x-conversation": "c" }, { user: "a/b", conversation: "a%2Fb/c" }],
  ["k", { authorization, "x-user": "u".repeat(200) }, { user: "u".repeat(200), conversation: undefined }],
])("with the key %j and %j comes %j", (key, headers, caller) => {
  expect(callerOf(key)(new Request("http://127.0.0.1/", { headers }))).toEqual(caller)
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
  ["k", { authorization, "x-conversation": "a b" }, { status: 400, param: "x-conversation" }],
  ["k", { authorization, "x-conversation": "" }, { status: 400, param: "x-conversation" }],
])("with the key %j and %j is a refusal %j", (key, headers, refusal) => {
  const ask = () => callerOf(key)(new Request("http://127.0.0.1/", { headers }))
  expect(ask).toThrow(expect.objectContaining({ status: 403, ...refusal }))
})
