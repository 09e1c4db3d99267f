import { describe, expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { writePngChunks } from "../../../src/node/cards/png-chunks.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"
import { inspected } from "./inspector/inspected.ts"

const png = (mark: string) => writePngChunks([{ type: "IDAT", data: Buffer.from(mark) }])
const gif = Buffer.from("GIF89a joy")
const pictures = new Map<string, Uint8Array>([
  ["portrait", png("portrait")],
  ["joy", gif],
  ["ému", png("ému")],
  ["svg", Buffer.from("<svg><script>alert(1)</script></svg>")],
])
const profile = { plugins: [{ name: "own", sprites: () => ({ pictures, problems: [] }) }] }
const { agent } = testAgent(scriptedModel([]), { memory: { enabled: false }, ...profile })
const { agent: bare } = testAgent(scriptedModel([]), { memory: { enabled: false } })
const handle = createHandler({
  agents: { mei: agent, bare },
  authorize: ({ headers }) => (headers.get("authorization") === "Bearer k" ? { user: "ann" } : undefined),
})
const served = (path: string, headers: Record<string, string> = { authorization: "Bearer k" }) =>
  handle(new Request(`http://bot.test/v1/sprites${path}${path.includes("?") ? "" : "?model=mei"}`, { headers }))
const page = inspected([], { profile })
const onPage = (path: string, init?: RequestInit) => page.fetch(`api/sprites${path}`, init)

describe("C42 the pictures of a character", () => {
  test.each([
    ["serve", served],
    ["the page", onPage],
  ] as const)("%s lists them, and sends each as what its bytes are, else the neutral one or the portrait", async (_, get) => {
    const list = (await (await get("")).json()) as { data: { id: string }[] }
    expect(list.data.map(({ id }) => id)).toEqual(["portrait", "joy", "ému", "svg"])
    for (const [path, name, type] of [
      ["/joy", "joy", "image/gif"],
      ["/JOY", "joy", "image/gif"],
      [`/${encodeURIComponent("E\u0301MU")}`, "ému", "image/png"],
      ["/portrait", "portrait", "image/png"],
      ["/unknown", "portrait", "image/png"],
    ] as const) {
      const response = await get(path)
      expect([path, response.status, response.headers.get("content-type")]).toEqual([path, 200, type])
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(pictures.get(name) ?? []))
    }
  })

  test.each([
    ["serve", served],
    ["the page", onPage],
  ] as const)("no name leads %s to a file, and a picture that could run a script is not sent", async (_, get) => {
    for (const path of ["/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e%2fpackage.json", "/constructor", "/__proto__", "/joy%00.png"]) {
      const response = await get(path)
      expect([path, Buffer.from(await response.arrayBuffer())]).toEqual([path, Buffer.from(png("portrait"))])
    }
    expect((await get("/svg")).status).toBe(404)
    expect((await get("/%E0%A4%A")).status).toBe(404)
    expect((await get("/joy/more")).status).toBe(404)
  })

  test("serve asks for a key, and knows a character without pictures", async () => {
    expect((await served("/joy", {})).status).toBe(401)
    expect((await served("", {})).status).toBe(401)
    expect(await (await served("?model=bare")).json()).toEqual({ object: "list", data: [] })
    expect((await served("/joy?model=bare")).status).toBe(404)
    expect((await served("/joy?model=nobody")).status).toBe(404)
  })

  test("the page's are not for another page, nor for one without the token", async () => {
    expect((await onPage("/joy", { headers: { origin: "https://evil.test" } })).status).toBe(403)
    expect((await onPage("/joy", { headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "image" } })).status).toBe(403)
    expect((await page.made.fetch(new Request("http://127.0.0.1:1/api/sprites/joy"))).status).toBe(404)
    expect((await onPage("/joy", { method: "POST" })).status).toBe(405)
  })
})
