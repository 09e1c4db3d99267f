import { describe, expect, test } from "vitest"
import { type FetchAttachmentOptions, fetchAttachment } from "../../../src/apps/bots/take-message.ts"
import { messageOf, type PromptStrataError } from "../../../src/core/errors.ts"

const url = "https://platform.test/file/bot123:secret/photos/file%201.jpg"
const answering = (body: ConstructorParameters<typeof Response>[0], init: ResponseInit = {}): FetchAttachmentOptions => ({
  fetch: async () => new Response(body, init),
})

/** A body without end, and whether it was given up. */
function endless() {
  const seen = { cancelled: false }
  const pull = (controller: ReadableStreamDefaultController): void => controller.enqueue(new Uint8Array(1_000))
  const cancel = (): void => {
    seen.cancelled = true
  }
  return { seen, body: new ReadableStream({ pull, cancel }) }
}

describe("a file of a message", () => {
  test("comes with its bytes, its name and the type that the server names", async () => {
    const headers = { "content-type": "image/jpeg" }
    const given = await fetchAttachment(url, answering("abc", { headers }))
    expect(given).toEqual({ bytes: new TextEncoder().encode("abc"), name: "file%201.jpg", mediaType: "image/jpeg" })
    const own = { name: "cat.jpg", mediaType: "image/png" }
    expect(await fetchAttachment(url, { ...answering("abc", { headers }), ...own })).toMatchObject(own)
  })

  test("has no type if the server names none", async () => {
    const headers = { "content-type": "application/octet-stream" }
    expect(await fetchAttachment(url, answering(new Uint8Array(3), { headers }))).toMatchObject({ mediaType: undefined })
  })

  test("that stands in a data URL has no name, so that its bytes do not stand in a prompt", async () => {
    const given = await fetchAttachment("data:image/png;base64,iVBORw0KGgo=")
    expect(given).toEqual({ bytes: Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10]), mediaType: "image/png" })
  })

  test.each<[string, unknown, string]>([
    ["a path without its server", "/file/bot123:secret/photos/1.jpg", "a text that is no URL"],
    ["bytes", Uint8Array.of(1, 2, 3), "an object"],
    ["nothing", undefined, "undefined"],
  ])("at %s is refused, and nothing of it is told", async (_, address, found) => {
    const error = (await fetchAttachment(address as string).catch((thrown: unknown) => thrown)) as PromptStrataError
    expect([error.code, error.message]).toEqual(["file", `expected the URL of a file to attach, found ${found}.`])
    expect(error.cause).toBeUndefined()
  })

  test.each<[string, string, (body: ReadableStream) => FetchAttachmentOptions]>([
    ["that is gone", "file-missing", (body) => answering(body, { status: 404 })],
    ["that says how large it is", "file-size", (body) => answering(body, { headers: { "content-length": "5000000000" } })],
    ["that has no end", "file-size", (body) => answering(body)],
  ])("%s is refused, its address is not told, and its connection is given up", async (_, code, options) => {
    const { seen, body } = endless()
    const error = (await fetchAttachment(url, options(body)).catch((thrown: unknown) => thrown)) as PromptStrataError
    expect([error.code, seen.cancelled]).toEqual([code, true])
    expect(messageOf(error)).not.toMatch(/secret|platform/)
  })

  test("that cannot be loaded is an error of its own", async () => {
    const failing = { fetch: () => Promise.reject(new Error("ECONNREFUSED")) }
    await expect(fetchAttachment(url, failing)).rejects.toMatchObject({
      code: "file",
      message: expect.stringContaining("failed"),
    })
    const late = { fetch: () => Promise.reject(new Error("x")), signal: AbortSignal.abort() }
    await expect(fetchAttachment(url, late)).rejects.toMatchObject({ message: expect.stringContaining("took too long") })
  })
})
