import { byLocale } from "./by-locale.ts"
import chinese from "./zh-CN-words.json" with { type: "json" }

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

/** The words of `serve` for a locale. */
export const serveWords = byLocale({ en, zh: chinese.serve })
