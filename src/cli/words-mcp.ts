/** What `promptstrata mcp` says. */
export interface McpWords {
  readonly noServers: (profile: string) => string
  readonly noTool: (tool: string, known: string) => string
  readonly badArguments: string
  readonly states: Readonly<Record<"starting" | "ready" | "waiting" | "failed" | "closed", string>>
  readonly verdicts: Readonly<Record<"approved" | "new" | "changed", string>>
  readonly nothingWaits: string
  readonly stillWaiting: (count: number) => string
  readonly approved: (tool: string) => string
  readonly approve: string
  readonly changedBefore: string
}

const en: McpWords = {
  noServers: (profile) => `The profile ${profile} names no MCP server. Add a table [mcp.servers.NAME] to it.`,
  noTool: (tool, known) => `There is no tool ${tool} that can be used. There are: ${known}.`,
  badArguments: 'Expected the arguments as a JSON object, such as {"path": "notes.txt"}.',
  states: { starting: "starting", ready: "ready", waiting: "not running", failed: "not running", closed: "closed" },
  verdicts: { approved: "", new: "waits for approval", changed: "CHANGED, waits for approval" },
  nothingWaits: "No tool waits for approval.",
  stillWaiting: (count) => `${count} waiting. Approve them at a terminal, by name, or with --yes.`,
  approved: (tool) => `approved ${tool}`,
  approve: "let the model use this tool, defined as follows",
  changedBefore: "It was approved before with another definition.",
}

const zh: McpWords = {
  noServers: (profile) => `配置 ${profile} 中没有 MCP 服务器。请加入表 [mcp.servers.名称]。`,
  noTool: (tool, known) => `没有可用的工具 ${tool}。现有：${known}。`,
  badArguments: '参数应为 JSON 对象，例如 {"path": "notes.txt"}。',
  states: { starting: "启动中", ready: "就绪", waiting: "未运行", failed: "未运行", closed: "已关闭" },
  verdicts: { approved: "", new: "等待批准", changed: "定义已更改，等待批准" },
  nothingWaits: "没有等待批准的工具。",
  stillWaiting: (count) => `还有 ${count} 个等待批准。请在终端中批准，或写出名称，或使用 --yes。`,
  approved: (tool) => `已批准 ${tool}`,
  approve: "让模型使用这个工具，定义如下",
  changedBefore: "之前批准的是另一个定义。",
}

/** The words of a locale: Chinese for `zh…`, else English. */
export function mcpWordsFor(locale: string): McpWords {
  return locale.toLowerCase().startsWith("zh") ? zh : en
}
