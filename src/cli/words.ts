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
  nothingAsked: "Nothing was asked: the input has no line that is not blank.",
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
  nothingAsked: "没有提问：输入中没有非空行。",
  exampleQuestion: "现在几点？",
}

/** The words for a locale: Chinese for `zh*`, else English. */
export function wordsFor(locale: string): Words {
  return locale.startsWith("zh") ? zh : en
}
