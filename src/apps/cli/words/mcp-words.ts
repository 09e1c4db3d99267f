import { byLocale } from "./by-locale.ts"
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of `mcp`. */
export type McpWords = Readonly<typeof en>

const en = {
  noServers: (profile: string) => `The profile ${profile} has no MCP servers. Add a table [mcp.servers.NAME] to it.`,
  noTool: (tool: string, known: string) => `There is no usable tool ${tool}. Usable tools: ${known}.`,
  badArguments: 'Expected the arguments as a JSON object, such as {"path": "notes.txt"}.',
  states: {
    starting: "starting",
    ready: "ready",
    waiting: "not running",
    failed: "not running",
    closed: "closed",
    unreviewed: "not allowed yet",
  },
  verdicts: { approved: "", new: "waits for approval", changed: "CHANGED, waits for approval" },
  nothingWaits: "No tool waits for approval.",
  stillWaiting: (count: number) =>
    count === 1
      ? "1 tool waits for approval. Approve it in a terminal, name it, or use --yes."
      : `${count} tools wait for approval. Approve them in a terminal, name them, or use --yes.`,
  approved: (tool: string) => `approved ${tool}`,
  approve: "be used by the model. Its definition:",
  changedBefore: "Another definition of this tool, or another program or address of its server, was approved.",
}

/** The words for a locale. */
export const mcpWords = byLocale({ en, zh: chinese.mcp })
