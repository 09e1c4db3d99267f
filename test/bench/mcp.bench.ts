import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connectMcp } from "../../src/adapters/mcp/connect-mcp.ts"
import { clientLibrary } from "../../src/adapters/mcp/options.ts"
import { createAgent } from "../../src/loop/agent/agent.ts"
import type { Plugin } from "../../src/memory/services/plugin.ts"
import type { McpServerSettings } from "../../src/profile/profile.ts"
import { resolveProfile } from "../../src/profile/resolve.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import type { BenchResult } from "./bench.ts"
import { cpuMs, formatMs, formatRatio, median, ratioGate } from "./measure.ts"

const runs = 7
const turns = 200
/** More than is measured, and less than twice as much. */
const mostToBare = 1.8
const mostOfTurn = 1.5

const require = createRequire(import.meta.url)
const everythingPath = require.resolve("@modelcontextprotocol/server-everything/dist/index.js")
const filesystemPath = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js")

/** How long servers take to be ready, alone and together, and what they cost a turn that does not use them. */
export async function run(): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-bench-"))
  const everything: McpServerSettings = { command: process.execPath, args: [everythingPath, "stdio"] }
  const filesystem: McpServerSettings = { command: process.execPath, args: [filesystemPath, folder] }
  // The library's own loading is paid once a process.
  await Promise.all([clientLibrary.client(), clientLibrary.stdio()])
  const [all, files, both, bare]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let i = 0; i < runs; i++) {
    all.push(await readyMs({ everything }))
    files.push(await readyMs({ filesystem }))
    both.push(await readyMs({ everything, filesystem }))
    bare.push(await bareMs([everything, filesystem]))
  }
  const slower = Math.max(median(all), median(files))
  const order = await startOrder({ everything, filesystem })
  const mcp = await connectMcp({ everything, filesystem })
  const [without, withServers]: [number[], number[]] = [[], []]
  for (let i = 0; i < runs; i++) {
    without.push(await turnsMs([]))
    // The servers are shared by all runs; closing an agent would end them.
    withServers.push(await turnsMs([{ ...mcp, tools: [], close: () => undefined }]))
  }
  await mcp.close()
  rmSync(folder, { recursive: true })
  const perTurn = (ms: number) => `${((ms / turns) * 1000).toFixed(0)} µs`
  return {
    title: `MCP servers over stdio (median of ${runs}; wall time, as they run beside this process)`,
    rows: [
      { what: "server-everything ready", time: formatMs(median(all)), "beside the slower alone": "" },
      { what: "server-filesystem ready", time: formatMs(median(files)), "beside the slower alone": "" },
      { what: "both ready", time: formatMs(median(both)), "beside the slower alone": formatRatio(median(both), slower) },
      {
        what: "both answer a handshake, spawned by hand",
        time: formatMs(median(bare)),
        "beside the slower alone": formatRatio(median(bare), slower),
      },
      { what: "a turn without servers, CPU", time: perTurn(median(without)), "beside the slower alone": "" },
      { what: "a turn that uses none of theirs, CPU", time: perTurn(median(withServers)), "beside the slower alone": "" },
    ],
    gates: [
      {
        name: `both are ready in at most ${mostToBare} × the time of both handshakes by hand`,
        ok: median(both) <= median(bare) * mostToBare,
        detail: (median(both) / median(bare)).toFixed(2),
      },
      ratioGate("a turn beside servers that it does not use", [median(withServers), median(without)], mostOfTurn),
      {
        name: "servers start together: both programs are begun before either is ready",
        ok: order.slice(0, 2).every((step) => step.startsWith("begin")),
        detail: order.join(", "),
      },
    ],
  }
}

async function readyMs(servers: Readonly<Record<string, McpServerSettings>>): Promise<number> {
  const before = performance.now()
  const mcp = await connectMcp(servers)
  const ms = performance.now() - before
  await mcp.close()
  return ms
}

/** What two processes take on this machine whatever a client does: on busy cores they take turns. */
async function bareMs(servers: readonly McpServerSettings[]): Promise<number> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } }
  const before = performance.now()
  await Promise.all(
    servers.map(async ({ command = "", args = [] }) => {
      const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] })
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })}\n`)
      await new Promise((resolve) => child.stdout.once("data", resolve))
      child.kill()
    }),
  )
  return performance.now() - before
}

/** In which order transports are made and servers become ready. */
async function startOrder(servers: Readonly<Record<string, McpServerSettings>>): Promise<readonly string[]> {
  const order: string[] = []
  const library = {
    client: clientLibrary.client,
    async stdio() {
      order.push("begin")
      return clientLibrary.stdio()
    },
  }
  const mcp = await connectMcp(servers, { library, onChange: (server) => order.push(`${server} ready`) })
  await mcp.close()
  return order
}

async function turnsMs(plugins: readonly Plugin[]): Promise<number> {
  const model = scriptedModel(Array.from({ length: turns }, () => '{"action":"finish","message":"ok"}'))
  const agent = createAgent({ profile: resolveProfile(), model, plugins })
  const ms = await cpuMs(async () => {
    for (let turn = 0; turn < turns; turn++) await agent.session(`s${turn}`).send("?").result
  })
  await agent.close()
  return ms
}
