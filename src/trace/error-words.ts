import { checkType } from "../core/check-options.ts"
import type { ErrorCode } from "../core/errors.ts"
import { PromptStrataError } from "../core/errors.ts"

/** Words for a person who writes to a bot, by what that person can do. */
type Words = Readonly<Record<Advice, string>>
type Advice =
  | "busy"
  | "broken-model"
  | "silent-model"
  | "too-long"
  | "too-much"
  | "filtered"
  | "stopped"
  | "again"
  | "changed"
  | "settled"
  | "expired"
  | "not-asked"
  | "another-tool"
  | "empty"
  | "owner"
  | "file"

const en: Words = {
  busy: "I am being asked too much right now. Please try again in a minute.",
  "broken-model": "I cannot reach my language model. Please try again later.",
  "silent-model": "I found no answer this time. Please ask again.",
  "too-long": "That took too long, so I stopped. Please try again, perhaps with a smaller question.",
  "too-much": "That is more than my language model can read at once. Please send less, or begin a new conversation.",
  filtered: "My language model's provider does not let me answer that. Please ask in another way.",
  stopped: "I stopped.",
  again: "Something went wrong on my side, so I could not answer. Please ask me again.",
  settled: "That question was answered already, or it is no longer open.",
  expired: "That question has waited too long, so nothing was done. Please ask me again.",
  "not-asked": "That question is for somebody else to answer.",
  "another-tool": "What I wanted to do has changed since I asked, so I did not do it. Please ask me again.",
  changed: "Two messages crossed, and I answered only one of them. Please ask me again.",
  empty: "Your message was empty. Please write something, or send a file.",
  owner: "I am not set up correctly, so I cannot answer. The person who runs me has to look at this.",
  file: "I could not use that file. Please check its name, kind and size, and send it again.",
}

const zh: Words = {
  busy: "现在问我的人太多了，请过一分钟再试。",
  "broken-model": "我连不上语言模型，请稍后再试。",
  "silent-model": "这次我没想出回答，请再问一遍。",
  "too-long": "花的时间太久，我停下来了。请再试一次，或者把问题问小一点。",
  "too-much": "内容太长，我的语言模型一次读不完。请发短一点，或者开始新的对话。",
  filtered: "我的语言模型的服务商不让我回答这个，请换个问法。",
  stopped: "我停下来了。",
  again: "我这边出了问题，没能回答，请再问我一遍。",
  settled: "这个请求已经处理过了，或者已经失效。",
  expired: "这个请求等得太久，已经过期，什么都没做。请再跟我说一遍。",
  "not-asked": "这个请求要由别人来回答。",
  "another-tool": "我要做的事在询问之后变了，所以没有做。请再跟我说一遍。",
  changed: "两条消息撞在一起了，我只回答了其中一条，请再问我一遍。",
  empty: "你的消息是空的，请写点什么，或者发一个文件。",
  owner: "我的设置有问题，没法回答。请让管理我的人看一看。",
  file: "这个文件我用不了。请检查它的名字、类型和大小，再发一次。",
}

const adviceByCode: Readonly<Record<ErrorCode, Advice>> = {
  template: "owner",
  "front-matter": "owner",
  "prompt-missing": "owner",
  prompt: "owner",
  injection: "owner",
  encoding: "owner",
  profile: "owner",
  script: "owner",
  "profile-missing": "owner",
  skill: "owner",
  budget: "too-long",
  "tool-definition": "owner",
  "tool-collision": "owner",
  "tool-arguments": "again",
  "tool-timeout": "too-long",
  model: "broken-model",
  "model-stall": "too-long",
  "model-empty": "silent-model",
  "output-schema": "broken-model",
  approval: "settled",
  "turn-timeout": "too-long",
  aborted: "stopped",
  "empty-question": "empty",
  decision: "silent-model",
  "session-conflict": "changed",
  "version-conflict": "changed",
  "session-store": "again",
  store: "again",
  background: "again",
  closed: "owner",
  file: "file",
  "file-missing": "file",
  "file-path": "file",
  "file-outside": "file",
  "file-kind": "file",
  "file-size": "file",
  "file-encoding": "file",
  "file-conflict": "file",
  "file-busy": "file",
  plugin: "owner",
  mcp: "owner",
  usage: "owner",
  "missing-dependency": "owner",
  test: "owner",
}

const adviceByFault: Readonly<Record<string, Advice>> = {
  expired: "expired",
  "not-asked": "not-asked",
  "tool-gone": "another-tool",
  "tool-changed": "another-tool",
}

/**
 * One or two sentences about an error for the person who writes to a bot: no code, no path, nothing of the provider's answer. Chinese
 * for a locale `zh…`, else English. Log the error itself for the person who runs the bot. Any thrown value is accepted.
 */
export function errorWords(error: unknown, locale: string): string {
  checkType("the locale of errorWords", locale, "string")
  const words = locale.toLowerCase().startsWith("zh") ? zh : en
  return words[adviceOf(error)]
}

function adviceOf(error: unknown): Advice {
  if (!PromptStrataError.isInstance(error)) return "again"
  if (error.code === "model") {
    const { kind, status, refused } = error.evidence
    if (refused !== undefined) return refused === "context-length" ? "too-much" : "filtered"
    if (kind === "rate-limit" || status === 429) return "busy"
    if (kind === "credentials" || kind === "forbidden" || kind === "not-found" || kind === "quota") return "owner"
    if (kind === undefined && (status === 401 || status === 403)) return "owner"
  }
  if (error.code === "approval") return adviceByFault[error.evidence.fault] ?? "settled"
  if (error.code === "model-empty" && error.evidence.finishReason === "content-filter") return "filtered"
  // An error of a newer copy of the package can have a code that is unknown here.
  return adviceByCode[error.code] ?? "again"
}

/** A sentence behind the words for an error of a turn that did something. */
export function doneWords(locale: string): string {
  return locale.toLowerCase().startsWith("zh")
    ? "有些事可能已经做了，再问之前请先看一看。"
    : "Something may be done already: look before you ask again."
}
