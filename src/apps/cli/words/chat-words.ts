import { byLocale, sentences } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of `chat`, `render` and `undo`. Words for a model are in `prompts/`. */
export type ChatWords = Readonly<typeof en>

const en = {
  ...english.chat.said,
  ...sentences(english.chat.filled),
}

/** The words for a locale. */
export const chatWords = byLocale({ en, zh: chinese.chat })
