import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readPages } from "../../../src/adapters/mcp/link.ts"
import { backoffMs } from "../../../src/adapters/mcp/reconnecting-link.ts"
import { readRemoteTool } from "../../../src/adapters/mcp/remote-tools.ts"
import { boundedFetch, createTextTail } from "../../../src/adapters/mcp/transport.ts"

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
    ["many events of lines that end with CR LF", "text/event-stream", Array.from({ length: 50 }, () => "data: x\r\n\r\n"), true],
    ["many lines that end with CR LF", "text/event-stream", Array.from({ length: 50 }, () => "data: x\r\n"), false],
    ["an event after an end", "text/event-stream", [`data: x\n\n${"x".repeat(60)}`, "x".repeat(60)], false],
  ])("%s beyond the limit breaks off, a stream of small ones does not", async (_, type, chunks, isFine) => {
    const body = ReadableStream.from(chunks).pipeThrough(new TextEncoderStream())
    const limited = boundedFetch(100, async () => new Response(body, { headers: { "content-type": type } }))
    const text = (await limited("http://x")).text()
    if (isFine) expect(await text).toBe(chunks.join(""))
    else await expect(text).rejects.toThrow("more than 100 bytes")
  })
})
