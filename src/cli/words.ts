/** What the program says to the person at the terminal. Words for a model live in `prompts/`. */
export interface Words {
  /** One line. */
  readonly demo: string
  readonly hint: (agent: string) => string
  /** Stands before what the user types. */
  readonly you: string
  readonly prestart: string
  readonly thinking: string
  readonly failed: string
  readonly repeated: string
  readonly warning: string
  readonly aborted: string
  readonly truncated: string
  readonly maxSteps: string
  readonly repeatedCall: string
  readonly nothingAsked: string
  /** The agent chose to say nothing. */
  readonly silence: string
  /** A tool asks before it does something. */
  readonly asks: (tool: string, what: string) => string
  /** Stands before the answer to that. */
  readonly allow: string
  /** Answers that mean yes, in lower case. */
  readonly yes: readonly string[]
  readonly undone: (path: string, change: { readonly by: string; readonly at: string }) => string
  readonly removed: (path: string) => string
  readonly nothingToUndo: (folder: string) => string
  /** What `render` asks when nobody says. */
  readonly exampleQuestion: string
}

const en: Words = {
  demo: "This is the offline demo model: it answers by rule. For a real one set OPENAI_API_KEY (or OPENAI_BASE_URL) and PROMPTSTRATA_MODEL.",
  hint: (agent) => `Talking to ${agent}. Ctrl-C stops an answer, twice leaves; so does Ctrl-D.`,
  you: "You",
  prestart: "prestart",
  thinking: "thinking",
  failed: "failed",
  repeated: "the same call again, not run",
  warning: "warning",
  aborted: "aborted",
  truncated: "the model reached its limit: the answer is cut off",
  maxSteps: "the step limit was reached, the answer had to be given",
  repeatedCall: "the model kept repeating a call, the answer had to be given",
  silence: "says nothing",
  nothingAsked: "Nothing was asked: the input has no line that is not blank.",
  asks: (tool, what) => `${tool} wants to ${what}`,
  allow: "Allow it? [y/N]",
  yes: ["y", "yes"],
  undone: (path, { by, at }) => `Took back the change of ${path} that ${by} made at ${at}.`,
  removed: (path) => `${path} had been made by that change: it is gone again.`,
  nothingToUndo: (folder) => `There is no change to take back in ${folder}.`,
  exampleQuestion: "What time is it?",
}

const zh: Words = {
  demo: "这是离线演示模型，只按规则回答。要用真正的模型，请设置 OPENAI_API_KEY（或 OPENAI_BASE_URL）和 PROMPTSTRATA_MODEL。",
  hint: (agent) => `正在与${agent}聊天。Ctrl-C 停止回答，连按两次退出；Ctrl-D 也可退出。`,
  you: "你",
  prestart: "预启动",
  thinking: "思考中",
  failed: "失败",
  repeated: "重复调用，未执行",
  warning: "注意",
  aborted: "已中止",
  truncated: "达到模型长度上限，回答被截断",
  maxSteps: "达到步数上限，直接作答",
  repeatedCall: "模型反复调用同一工具，直接作答",
  silence: "没有说话",
  nothingAsked: "没有提问：输入中没有非空行。",
  asks: (tool, what) => `${tool} 请求：${what}`,
  allow: "允许吗？[y/N]",
  yes: ["y", "yes", "是", "好", "允许"],
  undone: (path, { by, at }) => `已撤销 ${by} 在 ${at} 对 ${path} 的修改。`,
  removed: (path) => `${path} 是那次修改新建的，现已删除。`,
  nothingToUndo: (folder) => `${folder} 中没有可以撤销的修改。`,
  exampleQuestion: "现在几点？",
}

/** The words for a locale: Chinese for `zh*`, else English. */
export function wordsFor(locale: string): Words {
  return locale.startsWith("zh") ? zh : en
}
