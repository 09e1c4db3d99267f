import { byLocale } from "./by-locale.ts"

/** The words of `chat`, `render` and `undo`. Words for a model are in `prompts/`. */
export type ChatWords = Readonly<typeof en>

const en = {
  demo: "This is the offline demo model. It answers by simple rules. For a real model, set OPENAI_API_KEY (or OPENAI_BASE_URL) and PROMPTSTRATA_MODEL.",
  hint: (agent: string) =>
    `Talking to ${agent}. /help lists the commands. Ctrl-C stops an answer. Ctrl-D, or Ctrl-C twice, leaves.`,
  /** The commands of a conversation. Their names are the same in every language. */
  commands: {
    "/help": "prints these commands",
    "/exit": "leaves",
    "/new": "begins a new conversation; memories stay",
    "/prompt": "prints the prompt of the last question, or of /prompt QUESTION",
    "/memory": "prints the newest memories",
    "/approve": "allows the tool call that waits, and goes on with its turn",
    "/deny": "refuses it; /deny REASON tells the model why",
  },
  unknownCommand: (command: string) =>
    `There is no command ${command}; /help lists those there are. A line that begins with a space is sent as it is.`,
  newConversation: (name: string) => `A new conversation: ${name}. Memories stay.`,
  nothingKept: "Nothing is kept in this chat: it has no store (--no-store).",
  /** A kind of warning came again. */
  again: (times: number, message: string) => `! ${times} more: ${message}`,
  everyWarning: 'Each is in "promptstrata memory receipts" or --show trace.',
  /** Comes before the user's input. */
  you: "You",
  prestart: "prestart",
  thinking: "thinking",
  failed: "failed",
  repeated: "repeated call, not run again",
  warning: "warning",
  aborted: "aborted",
  truncated: "the answer is cut off: the model reached its output limit",
  maxSteps: "the step limit was reached, so the model had to answer",
  awaitingApproval: (calls: string) => `a tool call waits for your consent: ${calls}; /approve allows it, /deny refuses it`,
  nothingWaits: "No tool call waits for your consent.",
  repeatedCall: "the model repeated a call, so it had to answer",
  /** The agent chose not to answer. */
  silence: "no answer",
  nothingAsked: "There was no question: the input has only blank lines.",
  asks: (tool: string, action: string) => `${tool} wants to ${action}`,
  allow: "Allow it? [y/N]",
  /** Answers that mean yes, in lower case. */
  yes: ["y", "yes"],
  undone: (path: string, { by, at }: { readonly by: string; readonly at: string }) =>
    `Undid the change to ${path} that ${by} made at ${at}.`,
  removed: (path: string) => `${path} was created by that change. It is deleted.`,
  nothingToUndo: (folder: string) => `There is no change to undo in ${folder}.`,
  /** The question of `render` without `--question`. */
  exampleQuestion: "What time is it?",
}

const zh: ChatWords = {
  demo: "这是离线演示模型，只按简单规则回答。要用真正的模型，请设置 OPENAI_API_KEY（或 OPENAI_BASE_URL）和 PROMPTSTRATA_MODEL。",
  hint: (agent) => `正在与${agent}聊天。/help 列出命令。Ctrl-C 停止回答；Ctrl-D 或连按两次 Ctrl-C 退出。`,
  commands: {
    "/help": "列出这些命令",
    "/exit": "退出",
    "/new": "开始新的会话，记忆保留",
    "/prompt": "打印上一个问题的提示词，或 /prompt 问题",
    "/memory": "列出最新的记忆",
    "/approve": "允许正在等待的工具调用，并继续这一轮",
    "/deny": "拒绝这次调用；/deny 理由 会把理由告诉模型",
  },
  unknownCommand: (command) => `没有命令 ${command}，/help 会列出所有命令。以空格开头的一行会原样发送。`,
  newConversation: (name) => `新的会话：${name}。记忆保留。`,
  nothingKept: "这次聊天没有存储（--no-store），不会保存任何内容。",
  again: (times, message) => `! 又出现 ${times} 次：${message}`,
  everyWarning: "“promptstrata memory receipts” 或 --show trace 会列出每一条。",
  you: "你",
  prestart: "预启动",
  thinking: "思考中",
  failed: "失败",
  repeated: "重复调用，未再执行",
  warning: "警告",
  aborted: "已中止",
  truncated: "回答被截断：模型达到了输出上限",
  maxSteps: "已达到步数上限，模型只能直接作答",
  awaitingApproval: (calls) => `有一次工具调用在等你同意：${calls}。/approve 允许，/deny 拒绝`,
  nothingWaits: "没有工具调用在等你同意。",
  repeatedCall: "模型重复调用同一工具，只能直接作答",
  silence: "没有回答",
  nothingAsked: "没有问题：输入中只有空行。",
  asks: (tool, action) => `${tool} 请求：${action}`,
  allow: "允许吗？[y/N]",
  yes: ["y", "yes", "是", "好", "允许"],
  undone: (path, { by, at }) => `已撤销 ${by} 在 ${at} 对 ${path} 的修改。`,
  removed: (path) => `${path} 是那次修改新建的，现已删除。`,
  nothingToUndo: (folder) => `${folder} 中没有可以撤销的修改。`,
  exampleQuestion: "现在几点？",
}

/** The words for a locale. */
export const chatWords = byLocale({ en, zh })
