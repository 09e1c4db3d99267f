import { shownValue } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import words from "./media-words.json" with { type: "json" }

/** The kinds of Telegram's Bot API. */
type TelegramKind = "sticker" | "video" | "video_note" | "animation" | "location" | "contact" | "poll" | "dice" | "story" | "game"

/** Something in a message that is neither words nor a file for a model. Most names are those of Telegram's Bot API. */
export interface BotMedia {
  readonly kind: TelegramKind | "card" | "forward" | "forward_from"
  /** Its name, emoji or question, if the platform tells one; the author of what is forwarded (`forward_from`). */
  readonly name?: string | undefined
}

/** Puts what a message shows in words before its text, in Chinese for a locale `zh…`, else in English. Throws `usage` for another kind. */
export function withMediaWords(text: string, media: readonly BotMedia[], locale: string): string {
  const { sends, gap, media: names } = wordsOf(locale)
  const shown = media.map(({ kind, name = "" }) => {
    if (Object.hasOwn(names, kind)) return sends.replace("%", () => `${names[kind]} ${name}`.trim())
    const known = Object.keys(names).join(", ")
    throw new PromptStrataError("usage", `expected a kind of media that a bot knows, found ${shownValue(kind)}.`, {
      hint: `The kinds are: ${known}.`,
    })
  })
  return [...shown, text].filter((each) => each !== "").join(gap)
}

/** A reaction to a message in words, in Chinese for a locale `zh…`, else in English. */
export function reactionWords(emoji: string, locale: string): string {
  return wordsOf(locale).reacts.replace("%", () => emoji)
}

const wordsOf = (locale: string) => words[locale.toLowerCase().startsWith("zh") ? "zh" : "en"]
