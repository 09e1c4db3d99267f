import { byLocale } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

const en = {
  ...english.serve,
  serving: (url: string, models: string) => `Serving ${models} at ${url}`,
  routes: (url: string) => [`  OpenAI API   ${url}/v1`, `  useChat      ${url}/api/chat`, `  AG-UI        ${url}/ag-ui`],
  listening: (name: string) => `${name} listens.`,
  draining: (seconds: number) => `Taking no more requests. Waiting up to ${seconds} s for running answers.`,
  inspecting: (url: string) => `Open ${url}\nCtrl-C ends.`,
  shownAt: (url: string) => `What is sent is shown at ${url}`,
}

/** The words of `serve` for a locale. */
export const serveWords = byLocale({ en, zh: chinese.serve })
