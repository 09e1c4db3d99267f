import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { checkOutput } from "../../src/mcp/check-output.ts"
import { connectMcp } from "../../src/mcp/connect-mcp.ts"
import { readPages } from "../../src/mcp/link.ts"
import { loadOrExplain } from "../../src/mcp/options.ts"
import { backoffMs } from "../../src/mcp/reconnecting-link.ts"
import { readRemoteTool } from "../../src/mcp/remote-tools.ts"
import { injectionFrom, skillFrom } from "../../src/mcp/resources.ts"
import { checkServers, toolFilter } from "../../src/mcp/server-settings.ts"
import { boundedFetch, createTextTail } from "../../src/mcp/transport.ts"
import type { McpServerSettings } from "../../src/profile/profile.ts"
import { PromptStack } from "../../src/stack/prompt-stack.ts"

describe("settings", () => {
  const bad: readonly (readonly [string, McpServerSettings, RegExp])[] = [
    ["a.b", { command: "x" }, /expected a name of a letter/],
    ["", { command: "x" }, /expected a name of a letter/],
    ["read", { command: "x" }, /no tool of the agent's own/],
    ["a", {}, /either command/],
    ["a", { command: "x", url: "https://x.org" }, /either command/],
    ["a", { command: " " }, /found nothing/],
    ["a", { url: "x.org" }, /expected a URL/],
    ["a", { url: "file:///etc/passwd" }, /begins with http/],
    ["a", { url: "https://me:secret@x.org/" }, /put them into headers/],
    ["a", { command: "x", timeoutMs: 0 }, /timeoutMs above 0/],
  ]
  test.each(bad)("server %j with %j cannot be used", (name, settings, message) => {
    expect(() => checkServers({ [name]: settings }, ["read"])).toThrow(message)
  })

  test("good ones pass", () => {
    expect(() => checkServers({ files: { command: "node" }, far: { url: "http://localhost:1/mcp" } }, ["read"])).not.toThrow()
  })

  test("a client library that is not installed is a mistake that says what to do", async () => {
    const library = {
      client: () => loadOrExplain<never>(() => Promise.reject(new Error("no"))),
      stdio: () => Promise.reject(new Error()),
    }
    await expect(connectMcp({ a: { command: "x" } }, { library })).rejects.toMatchObject({ code: "missing-dependency" })
    // Nothing is loaded where no server is named.
    await expect(connectMcp({}, { library })).resolves.toMatchObject({ tools: [] })
  })
})

describe("tool filters", () => {
  test.each([
    [{}, "any", true],
    [{ allow: ["a", "b"] }, "b", true],
    [{ allow: ["a", "b"] }, "c", false],
    [{ allow: [] }, "a", false],
    [{ deny: ["write_*"] }, "write_file", false],
    [{ allow: ["*"], deny: ["*file*"] }, "read_files", false],
    [{ allow: ["a*b*c"] }, "a-b-c", true],
    [{ allow: ["a*b*c"] }, "a-c-b", false],
    [{ allow: ["ab*ba"] }, "aba", false],
    [{ allow: ["a.c"] }, "abc", false],
  ])("%j lets %s through: %s", (settings, tool, expected) => {
    expect(toolFilter(settings)(tool)).toBe(expected)
  })

  test("a pattern matches what a regular expression would", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 })
    fc.assert(
      fc.property(word, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }), (pattern, name) => {
        const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name)
        expect(toolFilter({ allow: [pattern] })(name)).toBe(expected)
      }),
    )
  })
})

describe("output checks", () => {
  const schema = {
    type: "object",
    properties: {
      n: { type: "integer" },
      list: { type: "array", items: { $ref: "#/$defs/item" } },
      kind: { enum: ["a", "b"] },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
    },
    required: ["n"],
    additionalProperties: false,
    $defs: { item: { type: "object", required: ["x"] } },
  }
  test.each([
    [{ n: 1 }, undefined],
    [{ n: 1, list: [{ x: 1 }], kind: "a", either: null }, undefined],
    [{}, "it: n is missing"],
    [{ n: 1.5 }, "n: expected integer, found number"],
    [{ n: 1, list: [{ x: 1 }, {}] }, "list[1]: x is missing"],
    [{ n: 1, kind: "c" }, "kind: found another value than those it may have"],
    [{ n: 1, either: 3 }, "either: fits no option of anyOf"],
    [{ n: 1, more: 1 }, "more: nothing is expected here"],
    [[], "it: expected object, found array"],
  ])("%j: %s", (value, expected) => {
    expect(checkOutput(schema, value)).toBe(expected)
  })

  test("schemas that would take for ever are given up, on any value", () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`d${n}`, { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] }]),
    )
    expect(checkOutput({ $ref: "#/$defs/d0", $defs: doubling }, {})).toBeUndefined()
    expect(checkOutput({ $ref: "#" }, {})).toBeUndefined()
    fc.assert(fc.property(fc.object(), fc.jsonValue(), (any, value) => void checkOutput(any, value)))
  })
})

describe("what a server sends", () => {
  test("no tool is read by throwing", () => {
    fc.assert(fc.property(fc.anything(), (raw) => void readRemoteTool(raw)))
  })

  test("a schema nested too deep is a bad tool", () => {
    let properties: unknown = {}
    for (let depth = 0; depth < 5_000; depth++) properties = { a: properties }
    expect(readRemoteTool({ name: "deep", inputSchema: { type: "object", properties } })).toEqual({
      problem: "its input schema is nested more than 64 levels deep",
    })
  })

  test("texts are cleaned and cut, and the fingerprint is of what was said", () => {
    const schema = { type: "object", properties: { a: { type: "string", description: "x\u202ey" } } }
    const tool = readRemoteTool({ name: "t", description: `\u001b[2J${"长".repeat(5_000)}`, inputSchema: schema })
    if ("problem" in tool) throw new Error(tool.problem)
    expect(tool.description).toBe(`[2J${"长".repeat(3_997)}…`)
    expect(JSON.stringify(tool.inputSchema)).not.toContain("\u202e")
    const other = readRemoteTool({ name: "t", description: "[2J", inputSchema: schema })
    expect(other).not.toMatchObject({ fingerprint: tool.fingerprint })
    const reordered = readRemoteTool({
      inputSchema: { properties: schema.properties, type: "object" },
      name: "t",
      description: "[2J",
    })
    expect(other).toMatchObject({ fingerprint: (reordered as { fingerprint: string }).fingerprint })
  })

  test("a list ends at 2,000 items, and a page without one ends it", async () => {
    const page = Array.from({ length: 900 }, (_, n) => n)
    const long = await readPages("tools", async (cursor) => ({ tools: page, nextCursor: `${cursor}x` }))
    expect([long.items.length, long.problem]).toEqual([2_000, "its list is cut after 2000 tools"])
    expect(await readPages("tools", async () => ({}))).toEqual({ items: [], problem: "a page of its list holds no tools" })
  })

  test("the end of a long text is kept", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 })), (chunks) => {
        const tail = createTextTail(20)
        for (const chunk of chunks) tail.push(chunk)
        expect(tail.read()).toBe(chunks.join("").slice(-20))
      }),
    )
  })

  test("waits double, at most half a minute, and never begin before the first attempt", () => {
    expect([0, 1, 2, 3, 8, 50].map((failures) => backoffMs(failures, () => 1))).toEqual([0, 250, 500, 1_000, 30_000, 30_000])
    expect(backoffMs(1, () => 0)).toBe(125)
  })

  test.each([
    ["a body", "application/json", ["x".repeat(60), "x".repeat(60)], false],
    ["an event", "text/event-stream", ["data: ", "x".repeat(100)], false],
    ["many events", "text/event-stream", Array.from({ length: 50 }, () => "data: xxxx\n\n"), true],
  ])("%s beyond the limit breaks off, a stream of small ones does not", async (_, type, chunks, isFine) => {
    const body = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream())
    const limited = boundedFetch(100, async () => new Response(body, { headers: { "content-type": type } }))
    const text = (await limited("http://x")).text()
    if (isFine) expect(await text).toBe(chunks.join(""))
    else await expect(text).rejects.toThrow("more than 100 bytes")
  })
})

describe("resources and prompts in prompts", () => {
  const read = { server: "fake", name: "memo://a\n", description: "", text: "**x**\n---", attachments: [] }

  test("as a skill and as an item they are the server's words", () => {
    expect(skillFrom(read)).toMatchObject({
      name: "fake:memo://a%0A",
      mode: "inline",
      content: { trust: "tool", text: read.text },
    })
    const stack = new PromptStack([injectionFrom(read)])
    expect(stack.items()[0]).toMatchObject({ key: "fake:memo://a%0A", trust: "tool", scope: "session" })
  })

  test("a long one loses its middle", () => {
    expect(skillFrom({ ...read, text: "x".repeat(50_000) }).content.text.length).toBeLessThan(20_010)
  })
})
