import type { McpServerStatus, McpWaitingTool } from "./connection.ts"
import type { Shelf } from "./shelf.ts"
import { shown } from "./shown.ts"

/** How a server is, for people. */
export function statusOf({ server, listed }: Shelf): McpServerStatus {
  const { name, link, stderr } = server
  const pid = link.current?.pid
  return {
    name,
    state: link.state,
    connected: link.opened,
    ...(pid === undefined ? {} : { pid }),
    ...(link.problem === undefined ? {} : { problem: shown(link.problem) }),
    stderr,
    tools: listed.map(({ tool, verdict }) => ({ name: `${name}.${tool.name}`, description: tool.description, verdict })),
  }
}

/** Its tools that cannot be used until they are approved. */
export function waitingOf({ server, listed }: Shelf): McpWaitingTool[] {
  return listed.flatMap(({ tool: { name, description, inputSchema, fingerprint }, verdict }) =>
    verdict === "approved" ? [] : [{ tool: `${server.name}.${name}`, reason: verdict, description, inputSchema, fingerprint }],
  )
}
