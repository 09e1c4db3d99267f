import { type ChildProcess, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { describe, expect, onTestFinished, test } from "vitest"
import type { McpServerSettings } from "../../../src/profile/profile.ts"
import { childEnv } from "../../support/child-env.ts"
import { connected } from "../../support/mcp/connected.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const require = createRequire(import.meta.url)
const everythingPath = require.resolve("@modelcontextprotocol/server-everything/dist/index.js")
const filesystemPath = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js")
const everything: McpServerSettings = { command: process.execPath, args: [everythingPath, "stdio"] }
const filesystem = (folder: string): McpServerSettings => ({
  command: process.execPath,
  args: [filesystemPath, folder],
})

describe("server-everything", () => {
  test("its tools are listed, called and read, with pictures and structured results", async () => {
    const { mcp, call, records, warnings } = await connected({ all: everything })
    expect(mcp.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["all.echo", "all.get-sum", "all.get-tiny-image"]))
    expect(await call("all.echo", { message: "你好" })).toBe("Echo: 你好")
    expect(await call("all.get-sum", { a: 2, b: 40 })).toContain("42")
    expect(await call("all.get-tiny-image")).toContain("[image: image/png,")
    expect(records).toMatchObject([{ kind: "attachment", attachment: { mediaType: "image/png" } }])
    expect(JSON.parse(await call("all.get-structured-content", { location: "New York" }))).toMatchObject({
      conditions: expect.any(String),
    })
    await expect(call("all.echo", { message: 7 })).rejects.toThrow(/expected string/i)
    expect(warnings).toEqual([])
  })

  test("a long call tells its progress and can be cancelled", async () => {
    const { call, progress } = await connected({ all: everything })
    const name = "all.trigger-long-running-operation"
    await call(name, { duration: 0.4, steps: 2 })
    expect(progress.map((update) => update.progress)).toContain(1)
    const controller = new AbortController()
    const long = call(name, { duration: 60, steps: 60 }, { signal: controller.signal })
    controller.abort(new Error("enough"))
    await expect(long).rejects.toThrow("enough")
    expect(await call("all.echo", { message: "still here" })).toBe("Echo: still here")
  })

  test("its resources and prompts are listed and read", async () => {
    const { mcp } = await connected({ all: everything })
    const [resource] = await mcp.resources()
    const read = await mcp.readResource("all", resource?.uri ?? "")
    expect(read.text.length).toBeGreaterThan(10)
    expect((await mcp.prompts()).map(({ name }) => name)).toContain("simple-prompt")
    expect((await mcp.getPrompt("all", "simple-prompt")).text).toContain("prompt")
  })
})

describe("server-filesystem", () => {
  test("it reads and writes files of its folder and refuses others", async () => {
    const folder = tempFolder({ "note.txt": "remember the milk" })
    const { call } = await connected({ files: filesystem(folder) })
    expect(await call("files.read_text_file", { path: `${folder}/note.txt` })).toContain("remember the milk")
    await call("files.write_file", { path: `${folder}/new.txt`, content: "neu" })
    expect(await call("files.read_text_file", { path: `${folder}/new.txt` })).toContain("neu")
    await expect(call("files.read_text_file", { path: "/etc/hostname" })).rejects.toThrow(/access denied/i)
  })

  test("an allow list leaves a server that can only read", async () => {
    const { mcp } = await connected({
      files: { ...filesystem(tempFolder()), allow: ["read_*", "list_*"], deny: ["read_media_file"] },
    })
    const names = mcp.tools.map(({ name }) => name)
    expect(names).toContain("files.read_text_file")
    expect(names.filter((name) => /write|edit|move|create|media/.test(name))).toEqual([])
    expect(mcp.tools.every(({ writes }) => !writes)).toBe(true)
  })
})

describe("server-everything over streamable HTTP", () => {
  test("it is called, tells its progress, and is found again after it was killed and started anew", async () => {
    const port = await freePort()
    const first = await startOver(port)
    const { mcp, call, progress } = await connected({ all: { url: `http://127.0.0.1:${port}/mcp` } })
    expect(await call("all.echo", { message: "你好" })).toBe("Echo: 你好")
    await call("all.trigger-long-running-operation", { duration: 0.4, steps: 2 })
    expect(progress.map((update) => update.progress)).toContain(1)
    const ended = new Promise((resolve) => first.once("close", resolve))
    first.kill("SIGKILL")
    await ended
    await expect(call("all.echo", { message: "anyone?" })).rejects.toThrow(/could not be reached|stopped/)
    await startOver(port)
    expect(await call("all.echo", { message: "again" })).toBe("Echo: again")
    expect(mcp.servers()[0]).toMatchObject({ state: "ready", connected: 2 })
  })
})

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
}

/** Starts the server and waits until it says that it listens. */
async function startOver(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [everythingPath, "streamableHttp"], {
    env: childEnv({ PORT: String(port) }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Uint8Array): void => {
      if (/listening/i.test(String(chunk))) resolve()
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.once("close", () => reject(new Error("it has ended")))
  })
  return child
}
