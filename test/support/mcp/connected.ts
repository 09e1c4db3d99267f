import { onTestFinished } from "vitest"
import { inMemoryApprovals } from "../../../src/adapters/mcp/approvals.ts"
import { connectMcp, type McpConnection } from "../../../src/adapters/mcp/connect-mcp.ts"
import type { McpOptions } from "../../../src/adapters/mcp/options.ts"
import type { McpWarning } from "../../../src/adapters/mcp/warnings.ts"
import type { McpServerSettings } from "../../../src/profile/profile.ts"
import type { ToolContext, ToolProgress, ToolRecord } from "../../../src/prompt/tools/tool.ts"

/** A connection that ends with its test, and what it warned of. */
export interface Connected {
  readonly mcp: McpConnection
  readonly warnings: McpWarning[]
  /** Calls a tool as a turn would and yields its text. */
  call(tool: string, args?: Readonly<Record<string, unknown>>, context?: Partial<ToolContext>): Promise<string>
  readonly records: ToolRecord[]
  readonly progress: ToolProgress[]
  /** Resolves once a server has listed its tools again. */
  changed(): Promise<void>
}

/** Connects servers for one test. */
export async function connected(
  servers: Readonly<Record<string, McpServerSettings>>,
  options: McpOptions = {},
): Promise<Connected> {
  const warnings: McpWarning[] = []
  const records: ToolRecord[] = []
  const progress: ToolProgress[] = []
  let tell: () => void = () => undefined
  // A real server on a busy machine can need longer than the default.
  const patient = Object.entries(servers).map(([name, settings]) => [name, { startTimeoutMs: 600_000, ...settings }] as const)
  const mcp = await connectMcp(Object.fromEntries(patient), {
    onWarning: (warning) => warnings.push(warning),
    onChange: () => tell(),
    approvals: inMemoryApprovals(),
    ...options,
  })
  onTestFinished(() => mcp.close())
  return {
    mcp,
    warnings,
    records,
    progress,
    async call(name, args = {}, context = {}) {
      const tool = mcp.currentTools().find((one) => one.name === name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      return String(
        await tool.execute(args, {
          signal: new AbortController().signal,
          key: { agent: "a", conversation: "c", audience: "private", user: "u" },
          turnId: "turn",
          clock: { nowMs: () => 0 },
          record: (record) => records.push(record),
          progress: (update) => progress.push(update),
          ...context,
        }),
      )
    },
    changed: () =>
      new Promise((resolve) => {
        tell = resolve
      }),
  }
}

/** True while a process of that id runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
