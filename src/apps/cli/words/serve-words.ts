import { byLocale } from "./by-locale.ts"

/** The words of `serve`. */
export type ServeWords = Readonly<typeof en>

const en = {
  serving: (url: string, models: string) => `Serving ${models} at ${url}`,
  routes: (url: string) => [`  OpenAI API   ${url}/v1`, `  useChat      ${url}/api/chat`, `  AG-UI        ${url}/ag-ui`],
  withKey: "Requests need the header Authorization: Bearer KEY.",
  withoutKey: "Programs of this computer may ask without a key.",
  kept: "The header x-conversation names a conversation that is kept; without it nothing is.",
  ending: "Ctrl-C or SIGTERM lets running answers end. Ctrl-C twice ends at once.",
  draining: (seconds: number) => `Taking no more requests. Waiting up to ${seconds} s for running answers.`,
  ended: "Ended.",
  inspecting: (url: string) => `Open ${url}\nCtrl-C ends.`,
  shownAt: (url: string) => `What is sent is shown at ${url}`,
}

const zh: ServeWords = {
  serving: (url, models) => `${models} 的服务地址：${url}`,
  routes: (url) => [`  OpenAI API   ${url}/v1`, `  useChat      ${url}/api/chat`, `  AG-UI        ${url}/ag-ui`],
  withKey: "请求须带请求头 Authorization: Bearer 密钥。",
  withoutKey: "本机程序无需密钥。",
  kept: "请求头 x-conversation 指定要保存的会话；没有它就什么也不保存。",
  ending: "Ctrl-C 或 SIGTERM 会等正在生成的回答结束；连按两次 Ctrl-C 立即结束。",
  draining: (seconds) => `不再接新请求，最多等待 ${seconds} 秒让正在生成的回答结束。`,
  ended: "已结束。",
  inspecting: (url) => `请打开 ${url}\n按 Ctrl-C 结束。`,
  shownAt: (url) => `发给模型的内容显示在 ${url}`,
}

/** The words for a locale. */
export const serveWords = byLocale({ en, zh })
