import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import { connected } from "../../support/mcp/connected.ts"
import { fakeHttpServer } from "../../support/mcp/fake-http-server.ts"

describe("servers over streamable HTTP", () => {
  test("tools are listed and called, with the headers of the settings in every request", async () => {
    const server = await fakeHttpServer()
    const headers = { Authorization: "Bearer ${TOKEN}", "X-Plain": "yes" }
    const { mcp, call } = await connected({ far: { url: server.url, headers } }, { env: { TOKEN: "t0p" } })
    expect(mcp.tools.map(({ name }) => name)).toEqual(["far.echo", "far.late", "far.huge", "far.endless"])
    expect(await call("far.echo", { text: "回声" })).toBe("回声")
    expect(server.requests.every(({ headers: sent }) => sent.authorization === "Bearer t0p" && sent["x-plain"] === "yes")).toBe(
      true,
    )
  })

  test("L24 a redirect is followed to no other host, which nobody approved", async () => {
    const stranger = await fakeHttpServer()
    const door = createServer((_, response) => response.writeHead(307, { location: stranger.url }).end())
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void door.close())
    const { port } = door.address() as AddressInfo
    const { mcp, warnings } = await connected({ far: { url: `http://127.0.0.1:${port}/mcp`, headers: { "X-Key": "s3cr3t" } } })
    expect([mcp.tools, stranger.requests]).toEqual([[], []])
    expect(warnings).toMatchObject([{ server: "far", message: expect.stringContaining("307") }])
  })

  test("a stream that is closed before its answer is taken up where it ended", async () => {
    const server = await fakeHttpServer()
    const { call } = await connected({ far: { url: server.url } })
    expect(await call("far.late")).toBe("after all")
    expect(server.requests.filter(({ headers }) => headers["last-event-id"] === "e1")).toHaveLength(1)
  })

  test.each([404, 400])("a session that the server forgot (%i) is begun anew and the call made again, once", async (status) => {
    const server = await fakeHttpServer()
    const { call, mcp } = await connected({ far: { url: server.url } })
    server.forget(status)
    expect(await call("far.echo", { text: "x" })).toBe("x")
    expect(mcp.servers()[0]).toMatchObject({ state: "ready", connected: 2 })
  })

  test("a server that is away fails the call in words, and works again when it is back", async () => {
    const server = await fakeHttpServer()
    const { call } = await connected({ far: { url: server.url } })
    await server.stop()
    await expect(call("far.echo")).rejects.toThrow(/The server of this tool could not be reached: fetch failed \(.+\)/)
    await server.again()
    server.forget()
    expect(await call("far.echo", { text: "x" })).toBe("x")
  })

  test.each(["huge", "endless"])("an answer without measure (%s) fails the call", async (name) => {
    const server = await fakeHttpServer()
    const { call } = await connected({ far: { url: server.url } })
    const controller = new AbortController()
    const calling = call(`far.${name}`, {}, { signal: controller.signal })
    if (name === "endless") controller.abort(new Error("the tool's limit"))
    await expect(calling).rejects.toThrow()
    expect(await call("far.echo", { text: "x" })).toBe("x")
  })

  test("closing ends the session on the server", async () => {
    const server = await fakeHttpServer()
    const { mcp } = await connected({ far: { url: server.url } })
    await mcp.close()
    expect(server.requests.filter(({ method }) => method === "DELETE")).toHaveLength(1)
  })

  test("an address where nobody listens is a warning", async () => {
    const server = await fakeHttpServer()
    await server.stop()
    const { warnings } = await connected({ far: { url: server.url } })
    expect(warnings[0]).toMatchObject({ kind: "start", server: "far" })
  })

  const refusals = [
    [401, "Unauthorized", "it wants credentials: check `headers`, such as Authorization, and the variables that fill them"],
    [403, "Forbidden", "these credentials may not do this: ask for access, or use others in `headers`"],
    [405, "Method Not Allowed", "this address does not take the requests of streamable HTTP: check the path in `url`"],
    [429, "Too Many Requests", "it gets too many requests: wait before the next one, or ask for a higher limit"],
    [503, "Service Unavailable", "it is overloaded or down for a while: try again later"],
    [500, "Internal Server Error", "the fault is the server's: see its log"],
  ] as const

  test.each(refusals)(
    "a server that answers %i at the start is a warning that says so and what to do",
    async (status, name, advice) => {
      const server = await fakeHttpServer()
      server.refuse(status)
      const { warnings } = await connected({ far: { url: server.url } })
      expect(warnings[0]).toMatchObject({ kind: "start", server: "far" })
      expect(warnings[0]?.message).toContain(`HTTP ${status} ${name}; ${advice}`)
    },
  )

  const ofLists = [[400, "Bad Request", "check that `url` is the address of an MCP server"], ...refusals] as const

  test.each(ofLists)("one that answers %i only to the list of its tools is such a warning, too", async (status, name, advice) => {
    const server = await fakeHttpServer()
    server.refuseOnly("tools/list", status)
    const { warnings } = await connected({ far: { url: server.url } })
    expect(warnings[0]?.message).toContain(`HTTP ${status} ${name}; ${advice}`)
  })

  test.each(["resources", "prompts"] as const)("so is one that refuses the list of its %s", async (kind) => {
    const server = await fakeHttpServer()
    const { mcp, warnings } = await connected({ far: { url: server.url } })
    server.refuseOnly(`${kind}/list`, 403)
    expect(await mcp[kind]()).toEqual([])
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining(`Its ${kind} could not be read: it answers HTTP 403 Forbidden; these credentials may not do this`),
    ])
  })

  test.each(refusals)(
    "one that answers %i to a call says it to the model, and to the program what to do",
    async (status, name, advice) => {
      const server = await fakeHttpServer()
      const { call, warnings } = await connected({ far: { url: server.url } })
      server.refuse(status, status === 503 ? "<html>Down</html>" : "quota\nof tg:42")
      const found = `HTTP ${status} ${name}${status === 503 ? "" : ": quota of tg:42"}`
      await expect(call("far.echo")).rejects.toThrow(`The server of this tool could not be reached: ${found}`)
      expect(warnings.map(({ kind }) => kind)).toEqual(["request"])
      expect(warnings[0]?.message).toContain(`It answers a request with ${found}; ${advice}`)
      server.refuse()
      expect(await call("far.echo", { text: "x" })).toBe("x")
    },
  )
})
