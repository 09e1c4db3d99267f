import { PromptStrataError } from "../core/errors.ts"
import type { Skill } from "../layers/skills.ts"
import type { McpServerSettings } from "../profile/profile.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { Tool } from "../tools/tool.ts"
import { inMemoryApprovals } from "./approvals.ts"
import { checkServers } from "./check-servers.ts"
import type { McpConnection } from "./connection.ts"
import { Ledger } from "./ledger.ts"
import { getPrompt, readListing, readPrompt, readResource } from "./listings.ts"
import type { McpOptions } from "./options.ts"
import { listAll, readSkills, withLimit } from "./read-offers.ts"
import { McpServer } from "./server.ts"
import { statusOf, waitingOf } from "./server-status.ts"
import { Shelf } from "./shelf.ts"
import { shown } from "./shown.ts"
import { type Surroundings, surroundingsOf, unthrowing } from "./surroundings.ts"

/**
 * Starts servers, all at once, and resolves when each is ready or has failed; give the result to `createAgent` as a plugin. A
 * server that does not start is a warning and is tried again; the others live (T25). Throws `mcp` for settings that cannot be
 * used and approvals that cannot be read, and `missing-dependency` without `@modelcontextprotocol/client`.
 */
export async function connectMcp(
  servers: Readonly<Record<string, McpServerSettings>>,
  options: McpOptions = {},
): Promise<McpConnection> {
  checkServers(servers, options.reserved)
  const surroundings = surroundingsOf(options)
  const { warn, words } = surroundings
  const ledger = new Ledger(options.approvals ?? inMemoryApprovals(), (problem) =>
    warn({ server: "*", kind: "approval", message: shown(problem) }),
  )
  const onChange = unthrowing(options.onChange ?? (() => undefined))
  const names = Object.keys(servers)
  if (names.length > 0) await Promise.all([surroundings.library.client(), ledger.load()])
  const shelves = names.map((name) => {
    const server = new McpServer(name, servers[name] ?? {}, surroundings, async () => {
      await shelf.review()
      onChange(name)
    })
    const shelf = new Shelf(server, { ledger, words, approve: options.approve ?? "first-use" })
    return shelf
  })
  await Promise.all(shelves.map(({ server }) => server.link.start()))
  return connectionOver(shelves, { surroundings, ledger, skills: await readSkills(shelves, surroundings) })
}

interface ConnectionParts {
  readonly surroundings: Surroundings
  readonly ledger: Ledger
  readonly skills: readonly Skill[]
}

function connectionOver(shelves: readonly Shelf[], { surroundings, ledger, skills }: ConnectionParts): McpConnection {
  const tools = shelves.flatMap((shelf) => shelf.tools)
  const reading = <T>(read: (signal: AbortSignal) => Promise<T>) => withLimit(surroundings, read)
  const { words } = surroundings
  return {
    name: "mcp",
    tools,
    skills,
    hooks: [currentTools(tools, shelves)],
    mayAdd: (tool) => shelves.some(({ server }) => tool.startsWith(`${server.name}.`)),
    servers: () => shelves.map(statusOf),
    currentTools: () => shelves.flatMap((shelf) => shelf.tools),
    waiting: () => shelves.flatMap(waitingOf),
    async approve(waiting) {
      await ledger.approve(waiting.map(({ tool, fingerprint }) => [tool, fingerprint]))
      await Promise.all(shelves.map((shelf) => shelf.review()))
    },
    resources: () => reading((signal) => listAll(shelves, "resources", { read: readListing, signal })),
    prompts: () => reading((signal) => listAll(shelves, "prompts", { read: readPrompt, signal })),
    readResource: (server, uri) => reading((signal) => readResource(serverNamed(shelves, server), uri, { words, signal })),
    getPrompt: (server, name, args = {}) =>
      reading((signal) => getPrompt(serverNamed(shelves, server), { name, args }, { words, signal })),
    close: async () => {
      await Promise.all(shelves.map(({ server }) => server.link.close()))
    },
  }
}

/** Gives a turn the tools as they are now, where they are no longer those that the agent was made with. */
function currentTools(atFirst: readonly Tool[], shelves: readonly Shelf[]): TurnHook {
  return {
    name: "mcp",
    beforeTurn({ addTools, withdrawTools }) {
      for (const { server } of shelves) server.link.wake()
      const now = shelves.flatMap((shelf) => shelf.tools)
      const gone = atFirst.filter((tool) => !now.includes(tool))
      const added = now.filter((tool) => !atFirst.includes(tool))
      if (gone.length > 0) withdrawTools(gone.map(({ name }) => name))
      if (added.length > 0) addTools(added)
    },
  }
}

function serverNamed(shelves: readonly Shelf[], name: string): McpServer {
  const found = shelves.find(({ server }) => server.name === name)
  if (found !== undefined) return found.server
  const known = shelves.map(({ server }) => server.name).join(", ") || "none"
  throw new PromptStrataError("mcp", `expected a connected MCP server, found ${JSON.stringify(name)}; there are: ${known}.`)
}
