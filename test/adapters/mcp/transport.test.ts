import type { StreamableHTTPClientTransportOptions } from "@modelcontextprotocol/client"
import { expect, test } from "vitest"
import type { ClientLibrary } from "../../../src/adapters/mcp/options.ts"
import { resolveOptions } from "../../../src/adapters/mcp/options.ts"
import { createTransport } from "../../../src/adapters/mcp/transport.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"

test("a server over HTTP may choose when it is asked again, up to five minutes, and closing ends the wait", async () => {
  let given: StreamableHTTPClientTransportOptions | undefined
  class Transport {
    constructor(_url: URL, options: StreamableHTTPClientTransportOptions) {
      given = options
    }
  }
  const timers = manualTimers(manualClock(0))
  const library = { client: async () => ({ StreamableHTTPClientTransport: Transport }) } as unknown as ClientLibrary
  await createTransport({ url: "http://far.example/mcp" }, resolveOptions({ library, ports: { timers } }))
  const asked: string[] = []
  const plan = (name: string, delayMs: number) => given?.reconnectionScheduler?.(() => void asked.push(name), delayMs, 1)
  plan("at once", -5)
  plan("soon", 1_000)
  plan("at last", 9_000_000)
  const cancel = plan("never", 2_000)
  if (cancel) cancel()
  expect(timers.pending).toBe(3)
  timers.advance(0)
  expect(asked).toEqual(["at once"])
  timers.advance(299_999)
  expect(asked).toEqual(["at once", "soon"])
  timers.advance(1)
  expect(asked).toEqual(["at once", "soon", "at last"])
})

test("the client library is told where the server is, what to send it, and the bounds", async () => {
  const given: object[] = []
  class Transport {
    pid = 7
    onclose = () => undefined
    constructor(...options: readonly object[]) {
      given.push(...options.map((each) => (each instanceof URL ? { url: each.href } : each)))
    }
    async start() {}
  }
  const library = {
    client: async () => ({ StreamableHTTPClientTransport: Transport }),
    stdio: async () => ({ StdioClientTransport: Transport }),
  } as unknown as ClientLibrary
  const options = resolveOptions({ library, env: { TOKEN: "t", HOME_OF: "h", OTHER: "o" } })
  const far = await createTransport({ url: "http://far.example/mcp", headers: { Authorization: "Bearer ${TOKEN}" } }, options)
  const near = await createTransport({ command: "node" }, options)
  const settings = { command: "node", args: ["a.js"], cwd: "/work", passEnv: ["HOME_OF", "GONE"], env: { KEY: "${TOKEN}" } }
  await createTransport(settings, options)
  expect([far.kind, far.stderr(), near.kind, near.stderr()]).toEqual(["http", "", "stdio", ""])
  expect(given).toEqual([
    { url: "http://far.example/mcp" },
    {
      requestInit: { headers: { Authorization: "Bearer t" } },
      fetch: expect.any(Function),
      reconnectionOptions: {
        ...{ initialReconnectionDelay: 1_000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 1.5, maxRetries: 5 },
      },
      reconnectionScheduler: expect.any(Function),
    },
    { command: "node", args: [], env: {}, stderr: "pipe", maxBufferSize: 10_485_760 },
    {
      ...{ command: "node", args: ["a.js"], env: { HOME_OF: "h", KEY: "t" }, stderr: "pipe", maxBufferSize: 10_485_760 },
      cwd: "/work",
    },
  ])
})
