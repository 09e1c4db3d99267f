import { environmentLocale } from "../../../node/locale.ts"
import { fillPlaces } from "./by-locale.ts"

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

/** Finds what varies in a sentence. A full stop between two places ends a sentence; one inside of a path does not. */
function patternOf(sentence: string): RegExp {
  const literal = (part: string): string => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&").replace(/^\\\.$/, "\\.(?=\\s|$)")
  // The key or the file that a mistake is in may stand before a sentence.
  const place = sentence.startsWith("{}") ? "()" : "(?:(\\S+): )?"
  const varies = /^\{\} \p{L}+$/u.test(sentence) ? "(\\S*[^\\s,])" : "(.*?)"
  // Only a text of several lines has others' words of several lines.
  return new RegExp(`^${place}${sentence.split("{}").map(literal).join(varies)}$`, sentence.includes("\n") ? "su" : "u")
}

/** Longer texts hold words of others, in which places for what varies are searched for too long. */
const maxCharacters = 1_000

/** Makes a translation of a catalogue: exact texts first, then those with `{}`, then each line or clause by itself. */
export function translation(catalogue: Readonly<Record<string, string>>): Translate {
  const exact = new Map(Object.entries(catalogue))
  // The one that says most is the one that is meant; a place at its beginning, which may hold half of another one, counts against it.
  const sure = (text: string): number => text.replaceAll("{}", "").length - (text.startsWith("{}") ? 7 : 0)
  const patterns = Object.entries(catalogue)
    .filter(([text]) => text.includes("{}"))
    .sort(([one], [other]) => sure(other) - sure(one))
    .map(([sentence, words]) => ({ sentence, words, said: sentence.split("{}") }))
  const whole = (text: string): string | undefined => {
    const unended = text.endsWith(".") ? exact.get(text.slice(0, -1)) : undefined
    const words = exact.get(text) ?? (unended && `${unended}。`)
    if (words !== undefined || text.length > maxCharacters) return words
    for (const { sentence, said, words } of patterns) {
      const [, place = "", ...parts] = (said.every((part) => text.includes(part)) && patternOf(sentence).exec(text)) || []
      // What varies may be advice that stands in the catalogue, too.
      if (parts.length > 0) return `${place && `${place}：`}${fillPlaces(words, () => translate(parts.shift() ?? ""))}`
    }
    return undefined
  }
  const behindPlace = (text: string): string | undefined => {
    const [, place = "", rest = ""] = /^(\S+): (.+)$/.exec(text) ?? []
    return whole(rest) && `${place}：${whole(rest)}`
  }
  const inParts = (text: string): string =>
    text.includes("\n")
      ? text.split("\n").map(translate).join("\n")
      : text.replace(/[^,;]+|[,;] [^,;]+/g, (clause) =>
          clause === text || !/\S \S/.test(clause.slice(2)) ? clause : (whole(clause) ?? clause),
        )
  const translate: Translate = (text) =>
    whole(text) ?? behindPlace(text) ?? (text.length > maxCharacters && !text.includes("\n") ? text : inParts(text))
  return translate
}
