import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Misbehaviour } from "./misbehaviour.ts"

/** The client's side of one run, as far as the server must know it to keep time without waiting. */
export interface ServedRun {
  /** What the next request gets. */
  next(): Misbehaviour
  /** Resolves once the model has told that many characters of this answer, or will tell no more. */
  heard(characters: number): Promise<void>
  /** Time passes for this run alone. */
  pass(ms: number): void
}

export interface MisbehavingServer {
  /** The base URL of a run's model. */
  baseUrl(run: number): string
  serve(run: number, served: ServedRun): void
  forget(run: number): void
  /** Resolves once no answer is open any more. */
  idle(): Promise<void>
  /** Connections that are open, idle ones included. */
  connections(): Promise<number>
  close(): Promise<void>
}

/** A real HTTP server whose every request is answered as its run says, over connections that are kept alive. */
export async function startMisbehavingServer(): Promise<MisbehavingServer> {
  const runs = new Map<number, ServedRun>()
  const open = new Set<ServerResponse>()
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    open.add(response)
    response.once("close", () => open.delete(response))
    const run = runs.get(Number(request.url?.split("/")[1]))
    // A client may be gone before its request was read.
    void answer(request, response, run).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: (run) => `http://127.0.0.1:${port}/${run}/v1`,
    serve: (run, served) => void runs.set(run, served),
    forget: (run) => void runs.delete(run),
    async idle() {
      while (open.size > 0) await nextTurn()
    },
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    close: () =>
      new Promise((resolve) => {
        // Closing twice is no fault.
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, run: ServedRun | undefined): Promise<void> {
  for await (const _ of request);
  if (!run) return void response.destroy()
  const { status = 200, headers, deeds } = run.next()
  const gone = closed(response)
  const writeHead = () => response.headersSent || response.writeHead(status, { "content-type": "text/event-stream", ...headers })
  for (const deed of deeds) {
    if (response.destroyed) return
    switch (deed.type) {
      case "write":
        writeHead()
        await writePackets(response, deed)
        break
      case "heard":
        await Promise.race([run.heard(deed.characters), gone])
        break
      case "pass":
        run.pass(deed.ms)
        break
      case "head":
        writeHead()
        response.flushHeaders()
        break
      case "cut":
        response.destroy()
        break
      case "end":
        writeHead()
        response.end()
    }
  }
}

const maxPackets = 40

async function writePackets(
  response: ServerResponse,
  { bytes, packetBytes }: { readonly bytes: Buffer; readonly packetBytes: number },
): Promise<void> {
  // A long body in tiny packets shows nothing that a short one does not.
  const size = Math.max(packetBytes, Math.ceil(bytes.length / maxPackets))
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0 && (at / size) % 4 === 0) await nextTurn()
    if (response.destroyed) return
    response.write(bytes.subarray(at, at + size))
  }
}

function closed(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => response.once("close", () => resolve()))
}
