import { join } from "node:path"
import { fileApprovals } from "../mcp/approvals.ts"
import { connectMcp, type McpConnection } from "../mcp/connect-mcp.ts"
import { builtinToolNames } from "../node/builtin-tools.ts"
import type { Profile } from "../profile/profile.ts"
import type { CommonOptions } from "./common-options.ts"
import type { CliContext } from "./context.ts"
import { terminalText } from "./terminal-text.ts"

/** The servers that a profile names, connected; approvals stand in the data folder. Absent where it names none. */
export async function openMcp(
  profile: Profile,
  { dataDir }: Pick<CommonOptions, "dataDir">,
  { io, screen }: Pick<CliContext, "io" | "screen">,
): Promise<McpConnection | undefined> {
  const { servers } = profile.mcp
  if (Object.keys(servers).length === 0) return undefined
  return connectMcp(servers, {
    locale: profile.locale,
    env: io.env,
    approvals: fileApprovals(join(dataDir, "mcp-approvals.json")),
    reserved: builtinToolNames,
    onWarning: ({ server, message }) => screen.note(screen.paint("yellow", `! ${terminalText(`MCP ${server}: ${message}`)}`)),
  })
}

/** Makes something of the plugins; where that fails, servers that were started are ended. */
export async function withMcp<T>(mcp: McpConnection | undefined, make: (plugins: readonly McpConnection[]) => T): Promise<T> {
  try {
    return make(mcp === undefined ? [] : [mcp])
  } catch (thrown) {
    await mcp?.close()
    throw thrown
  }
}
