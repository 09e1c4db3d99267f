import type { StreamableHTTPClientTransportOptions } from "@modelcontextprotocol/client"
import { expect, test } from "vitest"
import type { ClientLibrary } from "../../src/mcp/options.ts"
import { resolveOptions } from "../../src/mcp/options.ts"
import { createTransport } from "../../src/mcp/transport.ts"
import { manualClock, manualTimers } from "../../src/testing/index.ts"

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
