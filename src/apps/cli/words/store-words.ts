import { byLocale, sentences } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of the commands that read or change a store, and of a chat that continues. */
export type StoreWords = Readonly<typeof en>

const en = {
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

/** The words for a locale. */
export const storeWords = byLocale({
  en,
  zh: {
    ...chinese.store,
    retried: (turns) =>
      turns === 0 ? "没有判断失败的内容。" : `将重新判断 ${turns} 轮对话，由下一次聊天或 “promptstrata worker” 完成。`,
    imported: (rows) => (rows === "" ? "存储中已有全部内容。" : `已导入：${rows}。`),
  },
})
