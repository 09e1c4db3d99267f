import { describe, expect, test } from "vitest"
import { connected, isRunning } from "../../support/mcp/connected.ts"
import { fakeServer } from "../../support/mcp/fake-server-config.ts"

describe("calls", () => {
  test("a result that is an error is a failed call with the server's words", async () => {
    const { call } = await connected({ fake: fakeServer() })
    await expect(call("fake.fail")).rejects.toThrow("the disk is full")
  })

  test("a tool that the server does not know is a failed call", async () => {
    const { call } = await connected({ fake: fakeServer({ tools: [{ name: "ghost", inputSchema: { type: "object" } }] }) })
    await expect(call("fake.ghost")).rejects.toThrow("no ghost")
  })

  test("a crash in the middle of a call is a failed call; the server is started again and the next call works", async () => {
    const { mcp, call, warnings } = await connected({ fake: fakeServer() })
    await expect(call("fake.crash")).rejects.toThrow("The server of this tool stopped before it answered.")
    expect(await call("fake.echo", { text: "back" })).toBe("back")
    expect(mcp.servers()[0]).toMatchObject({ state: "ready", connected: 2 })
    expect(warnings).toEqual([{ server: "fake", kind: "start", message: "It has stopped; it is started again." }])
  })

  test("the words of a failure are in the connection's language", async () => {
    const { call } = await connected({ fake: fakeServer() }, { locale: "zh-CN" })
    await expect(call("fake.crash")).rejects.toThrow("这个工具的服务器在回答之前停止了")
  })

  test("an aborted call rejects at once, the server is told, and the next call works", async () => {
    const { mcp, call } = await connected({ fake: fakeServer() })
    const controller = new AbortController()
    const hanging = call("fake.hang", {}, { signal: controller.signal })
    // The server has the call once it answers another one that came after it.
    await call("fake.echo")
    controller.abort(new Error("enough"))
    await expect(hanging).rejects.toThrow("enough")
    await call("fake.echo")
    await expect.poll(() => mcp.servers()[0]?.stderr).toMatch(/^cancelled \d+\n$/)
  })

  test("a call that is still waiting for its server stops when it is aborted", async () => {
    const { call } = await connected({ fake: fakeServer() })
    const crashed = call("fake.crash").catch(() => undefined)
    await crashed
    await expect(call("fake.echo", {}, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough")
  })

  test("progress is told while the call runs, on one line, and a flood of it is cut", async () => {
    const { call, progress } = await connected({ fake: fakeServer() })
    await call("fake.progress")
    expect(progress).toEqual([
      { progress: 1, total: 2, message: "step 1" },
      { progress: 2, total: 2, message: "step 2" },
    ])
    await call("fake.flood")
    expect(progress).toHaveLength(1_002)
  })

  test("what is no text becomes attachments, with a text in its place", async () => {
    const { call, records } = await connected({ fake: fakeServer() })
    expect(await call("fake.picture")).toBe(
      [
        "look:",
        "[image: image/png, 3 bytes, kept for the user; it cannot be shown here]",
        "[audio: audio/wav, 2 bytes, kept for the user; it cannot be played here]",
        "[file: application/octet-stream, 1 bytes, kept for the user; it cannot be shown here]",
        "[resource: b file:///b]",
      ].join("\n"),
    )
    expect(records).toEqual([
      {
        kind: "attachment",
        tool: "fake.picture",
        summary: "image/png, 3 bytes",
        attachment: { mediaType: "image/png", bytes: 3, base64: "AAAA" },
      },
      {
        kind: "attachment",
        tool: "fake.picture",
        summary: "audio/wav, 2 bytes",
        attachment: { mediaType: "audio/wav", bytes: 2, base64: "AAA=" },
      },
      {
        kind: "attachment",
        tool: "fake.picture",
        summary: "application/octet-stream, 1 bytes",
        attachment: { mediaType: "application/octet-stream", bytes: 1, base64: "AA==" },
      },
    ])
  })

  test("a result that does not fit its output schema is kept, with a warning", async () => {
    const { call, warnings, records } = await connected({ fake: fakeServer() })
    expect(await call("fake.miss")).toBe("seven")
    const message = "The result of miss does not fit its output schema: n: expected number, found string."
    expect(warnings).toEqual([{ server: "fake", kind: "result", message }])
    expect(records).toEqual([{ kind: "warning", tool: "fake.miss", summary: message }])
  })

  test("a server that asks the user or the model is refused where nobody is there to answer", async () => {
    const { call } = await connected({ fake: fakeServer() })
    expect(JSON.parse(await call("fake.elicit"))).toMatchObject({ code: -32601 })
    expect(JSON.parse(await call("fake.sample"))).toMatchObject({ code: -32601 })
  })

  test("callbacks answer what a server asks; what the user leaves out takes the schema's default", async () => {
    const { call } = await connected(
      { fake: fakeServer() },
      {
        elicit: async ({ server, message, schema }) => {
          expect([server, message, Object.keys(schema.properties ?? {})]).toEqual(["fake", "Where?", ["city"]])
          return { action: "accept", content: {} }
        },
        sample: async ({ params }) => ({ model: "m", text: `asked with ${String(params.maxTokens)}` }),
      },
    )
    expect(JSON.parse(await call("fake.elicit"))).toEqual({ action: "accept", content: { city: "Hangzhou" } })
    expect(JSON.parse(await call("fake.sample"))).toMatchObject({ model: "m", content: { text: "asked with 10" } })
  })

  test("N44 a request tells in whose call it came; of calls of several people, nobody can tell", async () => {
    const seen: unknown[] = []
    const elicit = async ({
      key,
      confirm,
    }: {
      readonly key?: { readonly user: string } | undefined
      readonly confirm?: unknown
    }) => {
      seen.push([key?.user, confirm !== undefined])
      return { action: "decline" as const }
    }
    const sample = async ({ key }: { readonly key?: { readonly user: string } | undefined }) => {
      seen.push([key?.user])
      return { model: "m", text: "" }
    }
    const { call } = await connected({ fake: fakeServer() }, { elicit, sample })
    const of = (user: string) => ({
      key: { agent: "a", conversation: "c", audience: "group" as const, user },
      confirm: async () => true,
    })
    await call("fake.elicit", {}, of("ann"))
    await call("fake.sample", {}, of("bob"))
    expect(seen.splice(0)).toEqual([["ann", true], ["bob"]])
    await Promise.all([call("fake.elicit", {}, of("ann")), call("fake.sample", {}, of("ann"))])
    expect(seen.splice(0).toSorted()).toEqual([["ann"], ["ann", false]])
    await Promise.all([call("fake.elicit", {}, of("ann")), call("fake.elicit", {}, of("bob"))])
    expect(seen).toContainEqual([undefined, false])
  })

  test("N44 with `confirm` a person answers with yes or no; a question that needs values is declined, and that is told", async () => {
    const { call, warnings } = await connected({ fake: fakeServer() }, { elicit: "confirm" })
    const asked: unknown[] = []
    const context = { confirm: async (request: object) => asked.push(request) < 2 }
    expect(JSON.parse(await call("fake.elicit", {}, context))).toEqual({ action: "accept", content: { city: "Hangzhou" } })
    expect(JSON.parse(await call("fake.elicit", {}, context))).toEqual({ action: "decline" })
    expect(asked).toEqual([0, 1].map(() => ({ tool: "fake", summary: 'The MCP server fake asks: "Where?"' })))
    expect(JSON.parse(await call("fake.elicit", { required: ["street"] }, context))).toEqual({ action: "decline" })
    expect(JSON.parse(await call("fake.elicit"))).toEqual({ action: "decline" })
    expect([asked.length, warnings.map(({ message }) => message)]).toEqual([
      2,
      [0, 1].map(() => 'Nobody could answer "Where?" with yes or no.'),
    ])
  })

  test("N44 another word than `confirm` is refused at once", async () => {
    await expect(connected({ fake: fakeServer() }, { elicit: "yes" as never })).rejects.toThrow(/elicit.*if it is not "confirm"/)
  })

  test("a user who declines is told to the server without content", async () => {
    const { call } = await connected(
      { fake: fakeServer() },
      { elicit: async () => ({ action: "decline", content: { city: "x" } }) },
    )
    expect(JSON.parse(await call("fake.elicit"))).toEqual({ action: "decline" })
  })

  test("100 calls over a server that is killed every ten have a result or a failure each, and leave no process", async () => {
    const { mcp, call } = await connected({ fake: fakeServer() })
    const outcomes = { ok: 0, failed: 0 }
    const pids = new Set<number>()
    for (let n = 1; n <= 100; n++) {
      const pid = mcp.servers()[0]?.pid
      if (pid !== undefined) pids.add(pid)
      if (n % 10 === 0 && pid !== undefined) process.kill(pid, "SIGKILL")
      await call("fake.echo", { text: String(n) }).then(
        (text) => text === String(n) && outcomes.ok++,
        () => outcomes.failed++,
      )
    }
    expect(outcomes.ok + outcomes.failed).toBe(100)
    expect(outcomes.ok).toBeGreaterThanOrEqual(90)
    await mcp.close()
    await expect.poll(() => [...pids].filter(isRunning)).toEqual([])
  })
})
