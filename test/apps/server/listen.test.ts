import { connect } from "node:net"
import { describe, expect, test } from "vitest"
import { type ListenOptions, listen } from "../../../src/apps/server/listen.ts"

/** Never aborts: a server that closes with it has no connection left. */
const patient = new AbortController().signal

function open(handle: (request: Request) => Promise<Response>, options: Partial<ListenOptions> = {}) {
  return listen(handle, { host: "127.0.0.1", port: 0, ...options })
}

/** A connection: what it got, and its end. */
function dial(port: number) {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined)
  let got = ""
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  socket.on("data", (data) => {
    got += data
  })
  socket.on("close", () => resolve(got))
  const shows = (text: string): Promise<void> =>
    new Promise((done) => {
      const look = (): void => {
        if (got.includes(text)) done()
        else socket.once("data", look)
      }
      look()
    })
  return { socket, closed, shows }
}

/** A body that never ends, and tells when nobody wants it any more. */
function endless(chunk: Uint8Array) {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>()
  const body = new ReadableStream(
    { pull: (controller) => controller.enqueue(chunk), cancel: () => resolve() },
    { highWaterMark: 0 },
  )
  return { body, cancelled }
}

const post = (length: number) => `POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: ${length}\r\n\r\n`

describe("a server on a port", () => {
  test("hands on method, path, headers and body, and the answer back", async () => {
    const { port, close } = await open(async (request) => {
      const { pathname, search } = new URL(request.url)
      const said = [request.method, pathname, search, request.headers.get("x-a"), await request.text()].join(" ")
      return new Response(said, { status: 201, headers: { "x-b": "c" } })
    })
    const response = await fetch(`http://127.0.0.1:${port}/a%20b?c=d`, {
      method: "POST",
      headers: { "x-a": "1, 2" },
      body: "你好",
    })
    expect([response.status, response.headers.get("x-b"), await response.text()]).toEqual([
      201,
      "c",
      "POST /a%20b ?c=d 1, 2 你好",
    ])
    const empty = await fetch(`http://127.0.0.1:${port}//evil.test/`)
    expect(await empty.text()).toBe("GET //evil.test/   ")
    await close(patient)
  })

  test("sends the headers at once, and the beginning of an answer before its end", async () => {
    const [begin, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const body = ReadableStream.from(
      (async function* () {
        await begin.promise
        yield new TextEncoder().encode("first ")
        await gate.promise
        yield new TextEncoder().encode("last")
      })(),
    )
    const { port, close } = await open(async () => new Response(body))
    const reader = (await fetch(`http://127.0.0.1:${port}/`)).body?.getReader()
    begin.resolve()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first ")
    gate.resolve()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("last")
    await reader?.read()
    await close(patient)
  })

  test.each([
    ["no path", "GET http://evil.test/ HTTP/1.1\r\nhost: h\r\n\r\n"],
    ["a method that no web request has", "TRACE / HTTP/1.1\r\nhost: h\r\n\r\n"],
    ["no HTTP", "hello\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nhost: h\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"],
  ])("answers %s with 400", async (_, text) => {
    const { port, close } = await open(async () => new Response("never"))
    const { socket, closed } = dial(port)
    socket.end(text)
    expect(await closed).toMatch(/^HTTP\/1.1 400 /)
    await close(patient)
  })

  test("ends when the body is cut in the middle", async () => {
    const failed = Promise.withResolvers<unknown>()
    const { port, close } = await open(async (request) => {
      await request.text().catch(failed.resolve)
      return new Response("too late")
    })
    const { socket, closed } = dial(port)
    socket.write(`${post(1000)}half`, () => socket.destroy())
    expect(await failed.promise).toBeInstanceOf(Error)
    await closed
    await close(patient)
  })

  test("cuts a client whose body does not come", async () => {
    const { port, close } = await open(async (request) => new Response(await request.text()), { requestMs: 30 })
    const { socket, closed } = dial(port)
    socket.write(`${post(1000)}half`)
    expect(await closed).toMatch(/^HTTP\/1.1 4\d\d |^$/)
    await close(patient)
  })

  test("a body of 100 MB that is refused is answered, and its connection can be used again", async () => {
    const refuse = async (request: Request): Promise<Response> => {
      for await (const _ of request.body ?? []) break
      return new Response("large", { status: 413 })
    }
    const { port, close } = await open(refuse)
    const { socket, closed, shows } = dial(port)
    const piece = Buffer.alloc(1_000_000, "x")
    socket.write(post(100 * piece.length))
    for (let sent = 0; sent < 100; sent++) socket.write(piece)
    await shows("413")
    socket.end(post(0))
    expect((await closed).split("HTTP/1.1 413").length).toBe(3)
    await close(patient)
  })

  test("tells the handler that its client left, and ends the answer", async () => {
    const { body, cancelled } = endless(Buffer.from("piece "))
    const left = Promise.withResolvers<void>()
    const { port, close } = await open(async ({ signal }) => {
      signal.addEventListener("abort", () => left.resolve())
      return new Response(body)
    })
    const { socket, shows } = dial(port)
    socket.write("GET / HTTP/1.1\r\nhost: h\r\n\r\n")
    await shows("piece ")
    socket.destroy()
    await Promise.all([left.promise, cancelled])
    await close(patient)
  })

  test("cuts a client that does not read", async () => {
    const { body, cancelled } = endless(Buffer.alloc(1_000_000))
    const { port, close } = await open(async () => new Response(body), { stalledMs: 30 })
    const { socket } = dial(port)
    socket.pause()
    socket.write("GET / HTTP/1.1\r\nhost: h\r\n\r\n")
    await cancelled
    socket.resume()
    await close(patient)
  })

  test("closing lets a running answer end, and cuts one at the signal", async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { port, close } = await open(async (request) => {
      if (request.method === "POST") return new Response(endless(Buffer.from("piece ")).body)
      asked.resolve()
      await gate.promise
      return new Response("done")
    })
    const answered = fetch(`http://127.0.0.1:${port}/`)
    const { socket, shows, closed } = dial(port)
    socket.write(post(0))
    await Promise.all([asked.promise, shows("piece ")])
    const hurry = new AbortController()
    const ended = close(hurry.signal)
    gate.resolve()
    expect(await (await answered).text()).toBe("done")
    hurry.abort()
    await Promise.all([closed, ended])
  })
})
