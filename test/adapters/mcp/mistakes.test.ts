import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ApprovalGate, fileApprovals, inMemoryApprovals } from "../../../src/adapters/mcp/approvals.ts"
import { callTool } from "../../../src/adapters/mcp/call-tool.ts"
import { problemOf } from "../../../src/adapters/mcp/http-problem.ts"
import { readPages } from "../../../src/adapters/mcp/link.ts"
import { keptApprovals, loadOrExplain } from "../../../src/adapters/mcp/options.ts"
import { type RemoteTool, readToolList } from "../../../src/adapters/mcp/remote-tools.ts"
import { injectionFrom, skillFrom } from "../../../src/adapters/mcp/resources.ts"
import { readContent } from "../../../src/adapters/mcp/result-content.ts"
import type { McpServer } from "../../../src/adapters/mcp/server.ts"
import { checkServers, fillVariables, pickVariables } from "../../../src/adapters/mcp/server-settings.ts"
import { boundedFetch } from "../../../src/adapters/mcp/transport.ts"
import { safeLine, unthrowing } from "../../../src/adapters/mcp/warnings.ts"
import { type CallProblem, mcpWords } from "../../../src/adapters/mcp/words.ts"
import { schemaMismatch } from "../../../src/prompt/tools/schema-mismatch.ts"
import { endings } from "../../support/endings.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const words = mcpWords("en")

test("settings of a server that cannot be used are told in words", async () => {
  const check =
    (settings: object, name = "a") =>
    () =>
      checkServers({ [name]: settings }, ["read"]) ?? "fine"
  const tasks = {
    "a name of 32 characters": check({ command: "x" }, `_${"n".repeat(31)}`),
    "a name of 33 characters": check({ command: "x" }, `_${"n".repeat(32)}`),
    "a name that begins with a digit": check({ command: "x" }, "1a"),
    "a name of a tool": check({ command: "x" }, "read"),
    "neither a program nor an address": check({}),
    "a program and an address": check({ command: "x", url: "https://x.org" }),
    "an empty program": check({ command: " " }),
    "no time": check({ command: "x", timeoutMs: 0 }),
    "a little time": check({ command: "x", startTimeoutMs: 1 }),
    "a negative time to start": check({ command: "x", startTimeoutMs: -1 }),
    "no address": check({ url: "x.org" }),
    "an address of a file": check({ url: "file:///etc/passwd" }),
    "an address with a name": check({ url: "https://me@x.org/" }),
    "an address with a password": check({ url: "https://:secret@x.org/" }),
    "both schemes": () => [check({ url: "http://x.org" })(), check({ url: "https://x.org" })()],
    "a variable that is set": () => fillVariables({ Key: "Bearer ${A_1}, ${B}" }, { A_1: "x", B: "" }),
    "a variable that is not set": () => fillVariables({ Key: "Bearer ${TOKEN}" }, {}),
    "no variables": () => fillVariables({ Key: "$TOKEN ${1}" }, {}),
    "variables to pass on": () => pickVariables(["A", "B", "C"], { A: "x", B: "" }),
    "no client library": () => loadOrExplain(() => Promise.reject(new Error("gone"))),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/settings.txt")
})

test("the parts of a result become text and attachments, within bounds", async () => {
  const read = (parts: readonly unknown[], takes?: (mediaType: string) => boolean) => {
    const { text, attachments } = readContent(parts, words, takes)
    return { text, attachments: attachments.map(({ base64, ...rest }) => ({ ...rest, base64Length: base64?.length })) }
  }
  const picture = (data: string, mimeType = "image/png") => ({ type: "image", mimeType, data })
  const many = (count: number) => Array.from({ length: count }, () => ({ type: "text", text: "t" }))
  const tasks = {
    "each kind": () =>
      read([
        { type: "text", text: "words" },
        picture("AAAA"),
        picture("AAA=", "AUDIO/Wav"),
        picture("AA=="),
        { type: "resource", resource: { uri: "file:///a.bin", mimeType: 'evil"\n---', blob: "AA==" } },
        { type: "resource", resource: { uri: "file:///a.txt", text: "in a resource" } },
        { type: "resource_link", uri: "file:///b", name: "b" },
        { type: "resource_link", uri: "file:///c" },
        { blob: "AAAA", mimeType: "video/mp4" },
        { type: "hologram" },
        null,
      ]),
    "a picture that the model takes": () => read([picture("AAAA"), picture("AAAA", "audio/wav")], (type) => type === "image/png"),
    "twenty pictures": () => read(Array.from({ length: 20 }, () => picture("AAAA"))).attachments.at(-1),
    "one more": () =>
      read(
        Array.from({ length: 21 }, () => picture("AAAA")),
        () => true,
      ).attachments.at(-1),
    "five million bytes": () => read([picture("A".repeat(6_666_667))]).attachments,
    "a byte more": () => read([picture("A".repeat(6_666_668))], () => true),
    "a thousand parts": () => read(many(1_000)).text.slice(-9),
    "two more": () => read(many(1_002)).text.slice(-9),
    "types of media": () =>
      ["a".repeat(40), "a".repeat(41)].flatMap((family) =>
        ["b".repeat(80), "b".repeat(81)].map((kind) => read([picture("", `${family}/${kind}`)]).attachments[0]?.mediaType.length),
      ),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/content.txt")
})

test("tools that cannot be used are left out with their reason, and ten of those are told", async () => {
  const schema = { type: "object" }
  const list =
    (...items: readonly unknown[]) =>
    () => {
      const warnings: string[] = []
      const tools = readToolList(items, { isAllowed: (name) => name !== "denied", warn: (words) => void warnings.push(words) })
      return [...tools.map(({ fingerprint: _, ...tool }) => JSON.stringify(tool)), ...warnings].join("\n")
    }
  const deep = (levels: number) => {
    let properties: unknown = {}
    for (let level = 2; level < levels; level++) properties = { a: properties }
    return { name: "deep", inputSchema: { properties } }
  }
  const long = (characters: number) => ({ name: "long", inputSchema: { a: "x".repeat(characters - '{"a":""}'.length) } })
  const tasks = {
    "each kind": list(
      ...[7, {}, { name: 7 }, { name: "no way", inputSchema: schema }, { name: "a", description: 1, inputSchema: schema }],
      ...[{ name: "b" }, { name: "c", inputSchema: { type: "array" } }, { name: "d", inputSchema: { properties: [] } }],
      ...[
        { name: "e", inputSchema: { required: "x" } },
        { name: "denied", inputSchema: schema },
      ],
      ...[
        { name: "f", inputSchema: schema },
        { name: "f", inputSchema: {} },
      ],
    ),
    "all that is known": list({
      ...{ name: "x.y/z-1", title: "A title", outputSchema: { type: "object" } },
      inputSchema: { $schema: "https://json-schema.org", properties: { a: {} }, required: ["a"] },
      annotations: { destructiveHint: true },
    }),
    "one that reads and destroys": list({
      name: "r",
      inputSchema: schema,
      annotations: { readOnlyHint: true, destructiveHint: true },
    }),
    "names of 128 and 129 characters": list(
      { name: "n".repeat(128), inputSchema: schema },
      { name: "n".repeat(129), inputSchema: schema },
    ),
    "names with marks at their ends": list(...["a.", "a-", ".a", "_a", "长"].map((name) => ({ name, inputSchema: schema }))),
    "a long description": () =>
      [4_000, 4_001].map((length) => {
        const found = readToolList([{ name: "d", description: "x".repeat(length), inputSchema: schema }], {
          isAllowed: () => true,
          warn: () => undefined,
        })
        return [found[0]?.description.length, found[0]?.description.slice(-2)]
      }),
    "a long schema": () => list(long(50_000))().length,
    "a longer schema": list(long(50_001)),
    "65 levels": () => list(deep(65))().slice(0, 20),
    "66 levels": list(deep(66)),
    "a long output schema": () =>
      [50_000, 50_001].map(
        (length) => list({ name: "o", inputSchema: schema, outputSchema: long(length).inputSchema })().length > 200,
      ),
    "ten bad ones": list(...Array(10).fill({})),
    "eleven bad ones": list(...Array(11).fill({})),
  }
  const text = await endings(tasks)
  await expect(text.replaceAll(/n{128}/g, "n…")).toMatchFileSnapshot("__snapshots__/tools.txt")
})

test("a server's lists are read until their end or a bound", async () => {
  const pages = (page: (at: number) => object) => async () => {
    let at = 0
    const { items, problem } = await readPages("tools", async () => ({ ...page(at++) }))
    return `${at} pages, ${items.length} tools; ${problem ?? "all of them"}`
  }
  const tools = (count: number) => Array(count).fill(1)
  const tasks = {
    "one page": pages(() => ({ tools: tools(3) })),
    "a hundred pages": pages((at) => ({ tools: [at], ...(at < 99 && { nextCursor: `${at}` }) })),
    "more pages": pages((at) => ({ tools: [at], nextCursor: `${at}` })),
    "a cursor that stays": pages(() => ({ tools: [1], nextCursor: "x" })),
    "a cursor that is no text": pages(() => ({ tools: [1], nextCursor: 7 })),
    "no list": pages(() => ({ tools: {} })),
    "1,999 tools": pages(() => ({ tools: tools(1_999) })),
    "2,000 tools": pages(() => ({ tools: tools(2_000) })),
    "2,001 tools": pages(() => ({ tools: tools(2_001) })),
    "empty pages behind 2,000": pages((at) => ({ tools: tools(at === 0 ? 1_999 : 0), ...(at < 3 && { nextCursor: `${at}` }) })),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/lists.txt")
})

test("words for a model and for a person say what happened and what to do", async () => {
  const kinds: readonly CallProblem[] = ["stopped", "unavailable", "changed", "gone"]
  const said = (locale: string) => () => {
    const own = mcpWords(locale)
    const problems = [...kinds.map((kind) => own.problem(kind)), own.unreachable("HTTP 500")]
    return problems.map(({ message, evidence }) => `${JSON.stringify(evidence)} ${message}`).join("\n")
  }
  const http = (status: number, text?: string, statusText = "") => problemOf({ data: { status, statusText, text } })
  const errors: unknown[] = []
  const noisy = unthrowing(() => {
    throw new Error("the log is full")
  })
  const silenced = console.error
  console.error = (error: unknown) => void errors.push(String(error))
  noisy("x")
  console.error = silenced
  const tasks = {
    "in English": said("en"),
    "in Chinese": said("zh-CN"),
    "by status": () => [400, 401, 403, 404, 405, 418, 429, 499, 500, 502, 503].map((status) => http(status)).join("\n"),
    "with a name and a body": () => http(401, " no such key\n", "Unauthorized"),
    "with a long body": () => http(401, "x".repeat(121)),
    "with a body of HTML or none": () => [http(401, " <html>"), http(401, "\n"), http(401, undefined)],
    "any other error": () => [new Error("boom"), "x", { data: { status: "401" } }, { data: 7 }].map(problemOf),
    "a line of 200 characters": () => safeLine("x".repeat(200)).length,
    "a longer line": () => safeLine("x".repeat(201)).slice(-3),
    "a line that acts on a terminal": () => safeLine("\u001b[2Ja\r\nb\u202ec"),
    "a callback that throws": () => errors,
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/words.txt")
})

test("approvals that cannot be read are told, and a definition is judged by what was approved", async () => {
  const folder = tempFolder()
  const file = join(folder, "mcp-approvals.json")
  const load = (text: string) => async () => {
    writeFileSync(file, text)
    return fileApprovals(file).load()
  }
  const tool = (name: string, fingerprint: string) => ({ name, fingerprint }) as RemoteTool
  const problems: string[] = []
  const broken = { load: () => Promise.reject(new Error("no disk")), save: () => Promise.reject(new Error("disk full")) }
  const gate = new ApprovalGate(inMemoryApprovals(), (problem) => problems.push(problem))
  const lost = new ApprovalGate(broken, (problem) => problems.push(problem))
  const review = async (of: ApprovalGate, tools: readonly RemoteTool[], approve: "first-use" | "ask") =>
    Object.fromEntries(await of.review("s", tools, approve))
  const tasks = {
    "half of a file": load("{"),
    "another form": load('{"approved": []}'),
    "a fingerprint that is none": load('{"approved": {"s.x": 7}}'),
    "a file": load('{"approved": {"s.x": "1"}}'),
    "a folder in its place": () => fileApprovals(folder).load(),
    "asked for": () => review(gate, [tool("x", "1")], "ask"),
    "at first use": () => review(gate, [tool("x", "1"), tool("y", "1")], "first-use"),
    "after a change": () => review(gate, [tool("x", "2"), tool("y", "1"), tool("toString", "1")], "ask"),
    "of another server": async () => Object.fromEntries(await gate.review("t", [tool("x", "1")], "ask")),
    "kept nowhere": () => review(lost, [tool("x", "1")], "first-use"),
    "problems of that": () => problems,
    "beside a store": async () => {
      const kept = keptApprovals({ store: { file: join(folder, ".promptstrata", "store.sqlite") } as never })
      return kept?.load()
    },
    "in a data folder": () => keptApprovals({ dataFolder: folder, store: {} as never })?.load(),
    "beside no file": () => String(keptApprovals({ store: {} as never })),
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/approvals.txt")
})

test("a call ends with the server's words, with those of its failure, or on a new connection", async () => {
  const failing = (error: object) => Object.assign(new Error("it broke"), error)
  const call =
    (
      answers: readonly unknown[],
      { kind = "http", outputSchema, updates = [] }: { kind?: string; outputSchema?: object; updates?: readonly object[] } = {},
    ) =>
    async () => {
      const told: string[] = []
      const left = [...answers]
      const link = {
        kind,
        async request(_method: string, _params: object, { onProgress }: { onProgress: (update: object) => void }) {
          const answer = left.shift()
          for (const update of updates) onProgress(update)
          if (answer instanceof Error) throw answer
          return answer
        },
      }
      const server = {
        name: "s",
        words,
        warn: (about: string, message: string) => void told.push(`warns of ${about}: ${message}`),
        link: {
          get: async () => (left.length > 0 ? link : undefined),
          resetFailures: () => void told.push("counts as alive"),
          drop: (_: unknown, why: string) => void told.push(`is connected anew, because ${why}`),
        },
      } as unknown as McpServer
      const context = {
        signal: new AbortController().signal,
        record: (record: object) => void told.push(`records ${JSON.stringify(record)}`),
        progress: (update: object) => void told.push(`is at ${JSON.stringify(update)}`),
      }
      const tool = { name: "t", outputSchema } as RemoteTool
      const ending = await callTool(server, { tool, args: {} }, context as never).then(
        (text) => `says ${JSON.stringify(text)}`,
        (error: Error) => `fails: ${error.message}`,
      )
      return [...told.filter((line, at) => told.indexOf(line) === at), ending].join("\n")
    }
  const text = (words: string) => ({ content: [{ type: "text", text: words }] })
  const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
  const gone = failing({ data: { status: 404, statusText: "Not Found", text: "who are you?" } })
  const tasks = {
    "a text": call([text("hello")]),
    progress: call([text("hello")], {
      updates: [
        { progress: 1, total: Number.NaN, message: "a\nb" },
        { progress: Number.POSITIVE_INFINITY },
        { progress: 2, total: 3, message: 7 },
      ],
    }),
    "much progress": async () => {
      const told = await call([text("hello")], { updates: Array.from({ length: 1_001 }, (_, at) => ({ progress: at })) })()
      return told.split("\n").slice(-3).join("\n")
    },
    nothing: call([{}]),
    "structured content alone": call([{ structuredContent: { n: 1 } }], { outputSchema: number }),
    "structured content that does not fit": call([{ ...text("one"), structuredContent: { n: "1" } }], { outputSchema: number }),
    "no structured content": call([text("one")], { outputSchema: number }),
    "an error of the tool": call([{ ...text("the disk is full"), isError: true }]),
    "a picture": call([{ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }]),
    "an error of the server": call([failing({ code: -32_602 })]),
    "a connection that ended": call([failing({ code: "CONNECTION_CLOSED" })]),
    "no connection": call([failing({ code: "NOT_CONNECTED" })]),
    "no connection, in words": call([new Error("Not connected")]),
    "no server": call([]),
    "a session that is gone": call([gone, text("again")]),
    "a session that is gone by 400": call([failing({ data: { status: 400 } }), text("again")]),
    "a session that stays gone": call([gone, gone]),
    "a session that is gone of a program": call([gone, text("again")], { kind: "stdio" }),
    "a refusal": call([failing({ data: { status: 401 } }), text("again")]),
    "a network that is down": call([failing({ cause: new Error("ECONNREFUSED") })]),
    "anything else": call([failing({})]),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/calls.txt")
})

test("a read resource is a skill and an injection, and its middle is left out if it is long", async () => {
  const read = (text: string, name = "file:///a b") => ({ server: "s", name, description: "d", text, attachments: [] })
  const tasks = {
    "a skill": () => skillFrom(read("words")),
    "an injection": () => injectionFrom(read("words")),
    "an injection with settings": () => injectionFrom(read("words"), { scope: "turn", priority: 3 }),
    "a long name": () => skillFrom(read("", "n".repeat(201))).name.length,
    "a text of the most characters": () => skillFrom(read("x".repeat(20_000))).content.text.length,
    "a longer text": () => skillFrom(read("x".repeat(20_001))).content.text.replaceAll(/x+/g, "x"),
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/skills.txt")
})

test("an answer is read up to its bound, whatever the chunks", async () => {
  const read =
    (chunks: readonly string[], type = "application/json") =>
    async () => {
      const body = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream())
      const init = { status: 201, statusText: "Made", headers: { "content-type": type } }
      const response = await boundedFetch(10, async () => new Response(body, init))("http://x")
      return `${response.status} ${response.statusText} ${response.headers.get("content-type")} ${JSON.stringify(await response.text())}`
    }
  const stream = "text/event-stream; charset=utf-8"
  const tasks = {
    "as much as may be": read(["12345", "67890"]),
    "a byte more": read(["12345", "678901"]),
    "blank lines in a body": read(["123456\n\n", "123"]),
    events: read(["123456\n\n", "1234567\n\n", "123"], stream),
    "events of CR LF": read(["1234\r\n\r\n", "12345\r\n\r\n"], stream),
    "an event that is too long": read(["12345678901"], stream),
    "an end of an event that begins a long one": read(["1\n\n1234567890"], stream),
    "an end of an event, and as much as may be": read(["1\n\n123456789"], stream),
    "no body": async () => {
      const answer = new Response(null, { status: 204 })
      return (await boundedFetch(1, async () => answer)("http://x")) === answer
    },
  }
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/bodies.txt")
})

test("what does not fit its schema is told, as deep as it stands", () => {
  const nested = (depth: number) => {
    let [schema, value]: [Record<string, unknown>, unknown] = [{ type: "string" }, 1]
    for (let level = 0; level < depth; level++) [schema, value] = [{ properties: { a: schema } }, { a: value }]
    return schemaMismatch(schema, value)?.split(": ")[1]
  }
  expect([nested(99), nested(100), nested(101)]).toEqual([
    "expected string, found number",
    "expected string, found number",
    undefined,
  ])
  const long = (length: number) => schemaMismatch({ items: { type: "number" } }, [...Array(length).fill(1), "x"])
  expect([long(19_998), long(19_999)]).toEqual(["[19998]: expected number, found string", undefined])
  expect(schemaMismatch({ type: ["string", "null"] }, 1)).toBe("it: expected string or null, found number")
  expect(schemaMismatch({ type: "money" }, 1)).toBeUndefined()
  expect(schemaMismatch({ oneOf: [{ type: "string" }] }, 1)).toBe("it: fits no option of oneOf")
  expect(schemaMismatch({ allOf: [{ type: "number" }, { type: "string" }] }, 1)).toBe("it: expected string, found number")
  expect(schemaMismatch({ enum: [1] }, { a: 1 })).toBeUndefined()
  expect(schemaMismatch({ prefixItems: [{ type: "string" }], items: false }, ["a", 1])).toBe("[1]: nothing is expected here")
  expect(schemaMismatch({ patternProperties: {}, additionalProperties: false }, { a: 1 })).toBeUndefined()
  expect(schemaMismatch({ properties: { a: false } }, { a: 1 })).toBe("a: nothing is expected here")
})
