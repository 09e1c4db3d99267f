import { environmentLocale } from "../../../node/locale.ts"

/** Turns what the program says in English into the language of its reader; a text that has no translation stays English. */
export type Translate = (english: string) => string

/** No translation: the texts as they stand in the code. */
export const english: Translate = (text) => text

/**
 * The translation for the language of `--locale`, else of the environment. The texts of help, of errors and of warnings stand in
 * English where they are made; `zh-CN.json` has them by that text, with `{}` in place of what varies.
 */
export async function translationFor(argv: readonly string[], env: Parameters<typeof environmentLocale>[0]): Promise<Translate> {
  const named = argv.findLast((word, at) => word.startsWith("--locale=") || argv[at - 1] === "--locale")
  const locale = named === undefined ? environmentLocale(env) : environmentLocale({ LANG: named.replace("--locale=", "") })
  if (locale !== "zh-CN") return english
  const { default: catalogue } = await import("./zh-CN.json", { with: { type: "json" } })
  return translation(catalogue)
}

/** Longer texts hold words of others, in which places for what varies are searched for too long. */
const maxCharacters = 1_000

/** Makes a translation of a catalogue: exact texts first, then those with `{}`, then each line by itself. */
export function translation(catalogue: Readonly<Record<string, string>>): Translate {
  const exact = new Map(Object.entries(catalogue))
  const patterns = Object.entries(catalogue)
    .filter(([text]) => text.includes("{}"))
    // The one that says most is the one that is meant.
    .sort(([one], [other]) => other.replaceAll("{}", "").length - one.replaceAll("{}", "").length)
    .map(([text, words]) => ({
      pattern: new RegExp(
        `^${text
          .split("{}")
          .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
          .join("(.*?)")}$`,
        "su",
      ),
      words,
    }))
  const whole = (text: string): string | undefined => {
    const words = exact.get(text)
    if (words !== undefined || text.length > maxCharacters) return words
    for (const { pattern, words } of patterns) {
      const [, ...parts] = pattern.exec(text) ?? []
      // What varies may be advice that stands in the catalogue, too.
      if (parts.length > 0) return words.replaceAll("{}", () => translate(parts.shift() ?? ""))
    }
    return undefined
  }
  const translate: Translate = (text) => whole(text) ?? (text.includes("\n") ? text.split("\n").map(translate).join("\n") : text)
  return translate
}
