import { byLocale, sentences } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of `mcp`. */
export type McpWords = Readonly<typeof en>

const en = {
  ...english.mcp.said,
  ...sentences(english.mcp.filled),
  stillWaiting: (count: number) =>
    count === 1
      ? "1 tool waits for approval. Approve it in a terminal, name it, or use --yes."
      : `${count} tools wait for approval. Approve them in a terminal, name them, or use --yes.`,
}

/** The words for a locale. */
export const mcpWords = byLocale({ en, zh: chinese.mcp })
