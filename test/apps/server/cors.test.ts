import { describe, expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import type { HandlerOptions } from "../../../src/apps/server/serving.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const page = "https://app.test"

function ask(allowedOrigins: HandlerOptions["allowedOrigins"], { method = "GET", headers = {} }: RequestInit = {}) {
  const { agent } = testAgent(scriptedModel([finish("x")]))
  const handle = createHandler({
    agents: { fay: agent },
    authorize: ({ headers }) => (headers.has("authorization") ? { user: "ann" } : undefined),
    ...(allowedOrigins && { allowedOrigins }),
  })
  return handle(new Request("http://bot.test/v1/models", { method, headers: { origin: page, ...headers } }))
}

const asking = {
  method: "OPTIONS",
  headers: { "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
}

describe("pages of other origins", () => {
  test("get no leave unless they are named", async () => {
    for (const allowed of [undefined, [], ["https://other.test"], [`${page}.evil.test`]] as const) {
      const refused = await ask(allowed, asking)
      expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, null])
      const read = await ask(allowed, { headers: { authorization: "x" } })
      expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, null])
    }
  })

  test.each([[[page]], ["*"]] as const)("that are named may send a key, and read answers and refusals: %j", async (allowed) => {
    const leave = await ask(allowed, asking)
    expect([leave.status, Object.fromEntries(leave.headers)]).toEqual([
      204,
      {
        "access-control-allow-headers": "authorization",
        "access-control-allow-methods": "GET, POST, DELETE",
        "access-control-allow-origin": page,
        "access-control-expose-headers": "retry-after, x-should-retry, x-promptstrata-ignored, x-vercel-ai-ui-message-stream",
        "access-control-max-age": "600",
        vary: "origin",
      },
    ])
    const refused = await ask(allowed)
    expect([refused.status, refused.headers.get("access-control-allow-origin"), refused.headers.get("vary")]).toEqual([
      401,
      page,
      "origin",
    ])
  })
})
