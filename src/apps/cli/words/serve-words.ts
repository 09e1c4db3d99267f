import { byLocale, sentences } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

const en = {
  ...english.serve.said,
  ...sentences(english.serve.filled),
  routes: (url: string) => [`  OpenAI API   ${url}/v1`, `  useChat      ${url}/api/chat`, `  AG-UI        ${url}/ag-ui`],
}

/** The words of `serve` for a locale. */
export const serveWords = byLocale({ en, zh: chinese.serve })
