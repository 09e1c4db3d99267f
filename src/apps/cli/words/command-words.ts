import { byLocale, sentences } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of `chat`, `render` and `undo`. Words for a model are in `prompts/`. */
export type ChatWords = Readonly<typeof chat>

const chat = { ...english.chat.said, ...sentences(english.chat.filled) }

/** The words of a chat for a locale. */
export const chatWords = byLocale({ en: chat, zh: chinese.chat })

/** The words of `mcp`. */
export type McpCommandWords = Readonly<typeof mcp>

const mcp = {
  ...english.mcp.said,
  ...sentences(english.mcp.filled),
  stillWaiting: (count: number) =>
    count === 1
      ? "1 tool waits for approval. Approve it in a terminal, name it, or use --yes."
      : `${count} tools wait for approval. Approve them in a terminal, name them, or use --yes.`,
}

/** The words of `mcp` for a locale. */
export const mcpWords = byLocale({ en: mcp, zh: chinese.mcp })

const serve = {
  ...english.serve.said,
  ...sentences(english.serve.filled),
  routes: (url: string) => [`  OpenAI API   ${url}/v1`, `  useChat      ${url}/api/chat`, `  AG-UI        ${url}/ag-ui`],
}

/** The words of `serve` for a locale. */
export const serveWords = byLocale({ en: serve, zh: chinese.serve })

/** The words of the commands that read or change a store, and of a chat that continues. */
export type StoreWords = Readonly<typeof store>

const store = {
  ...english.store.said,
  ...sentences(english.store.filled),
  retried: (turns: number) =>
    turns === 0
      ? "There are no words that could not be judged."
      : `Turns to be judged again: ${turns}. The next chat or "promptstrata worker" does it.`,
  turnsForgotten: (count: number) => `Deleted ${count} ${count === 1 ? "turn" : "turns"} that inspect --keep had kept.`,
  imported: (rows: string) => (rows === "" ? "The store already has everything in the export." : `Imported: ${rows}.`),
  scopes: sentences(english.store.scopes),
}

/** The words of a store for a locale. */
export const storeWords = byLocale({
  en: store,
  zh: {
    ...chinese.store,
    retried: (turns) =>
      turns === 0 ? "没有判断失败的内容。" : `将重新判断 ${turns} 轮对话，由下一次聊天或 “promptstrata worker” 完成。`,
    imported: (rows) => (rows === "" ? "存储中已有全部内容。" : `已导入：${rows}。`),
  },
})

const { columns, none, filled } = english.schedule

/** The words of `schedule` for a locale. */
export const scheduleWords = byLocale({ en: { columns, none, ...sentences(filled) }, zh: chinese.schedule })

/** The words of `worker` for a locale. */
export const workerWords = byLocale({ en: { ...english.worker.said, ...sentences(english.worker.filled) }, zh: chinese.worker })

/** The words of `init` for a locale. */
export const initWords = byLocale({ en: { ...english.init.said, ...sentences(english.init.filled) }, zh: chinese.init })
