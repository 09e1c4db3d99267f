import { byLocale } from "./by-locale.ts"

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

const zh: McpWords = {
  noServers: (profile) => `配置 ${profile} 中没有 MCP 服务器。请加入表 [mcp.servers.名称]。`,
  noTool: (tool, known) => `没有可用的工具 ${tool}。可用的工具：${known}。`,
  badArguments: '参数应为 JSON 对象，例如 {"path": "notes.txt"}。',
  states: { starting: "启动中", ready: "就绪", waiting: "未运行", failed: "未运行", closed: "已关闭", unreviewed: "尚未允许" },
  verdicts: { approved: "", new: "等待批准", changed: "已更改，等待批准" },
  nothingWaits: "没有等待批准的工具。",
  stillWaiting: (count) => `还有 ${count} 个工具等待批准。请在终端中批准、写出工具名，或使用 --yes。`,
  approved: (tool) => `已批准 ${tool}`,
  approve: "允许模型使用它。定义如下：",
  changedBefore: "此前批准的是这个工具的另一个定义，或其服务器的另一个程序或地址。",
}

/** The words for a locale. */
export const mcpWords = byLocale({ en, zh })
