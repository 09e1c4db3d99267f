import type { Reader } from "../../core/reader.ts"
import { foldLetters } from "../../prompt/encode/fold.ts"
import { isLineBreak } from "../../prompt/encode/line-breaks.ts"
import { isWordUnit, bubbleMark as mark } from "./bubble-reader.ts"
import { type OutputPart, PartList } from "./output-part.ts"

/** Options of {@link EmotionReader}. */
interface EmotionReaderOptions {
  readonly syntax: TagSyntax
  /** The emotions that were asked for. Without them any emotion is accepted. */
  readonly emotions?: readonly string[] | undefined
  /** The words of the warning after "expected". */
  readonly expected: string
}

/** The name of an emotion in any case and width. Marks stay: ばら is not はら. */
function nameOf(emotion: string): string {
  return foldLetters(emotion.trim().normalize("NFKC"))
}

/** The beginning at which the reader stands, which decides what may be a tag. */
type Place = "reply" | "bubble" | "line" | "words"

/**
 * Separates emotions from the text around them (L4) and holds back at most a tag. Tags are read at the beginning of the reply
 * and of each bubble. `pipe` tags, and `bracket` tags of a listed emotion, are also read at the beginning of each line. A tag
 * is removed with the blanks before and after it and one line break after it. All other text stays as it is.
 */
export class EmotionReader implements Reader<string, OutputPart> {
  readonly #options: EmotionReaderOptions
  readonly #listed: ReadonlyMap<string, string>
  readonly #starts = new LineStart()
  readonly #parts = new PartList()
  #place: Place = "reply"
  #held = ""
  /** The characters that are skipped after a tag. */
  #skips: "nothing" | "blanks" | "line-feed" = "nothing"
  #warned = { form: false, emotion: false }

  constructor(options: EmotionReaderOptions) {
    this.#options = options
    this.#listed = new Map(options.emotions?.map((emotion) => [nameOf(emotion), emotion]))
  }

  push(chunk: string): OutputPart[] {
    this.#read(this.#held + chunk, false)
    return this.#parts.take()
  }

  end(): OutputPart[] {
    this.#read(this.#held, true)
    return this.#parts.take()
  }

  #read(text: string, isWhole: boolean): void {
    this.#held = ""
    for (let at = 0; at < text.length; ) {
      if (this.#skips !== "nothing") at = this.#skip(text, at)
      else if (!this.#mayTag()) at = this.#passWords(text, at)
      else {
        const candidate = text.slice(at, at + maxTagLength)
        const isCut = !isWhole && at + candidate.length === text.length
        if (isCut && beginning[this.#options.syntax].test(candidate)) {
          this.#held = candidate
          return
        }
        at = this.#start(text, at, candidate)
      }
    }
  }

  #mayTag(): boolean {
    if (this.#place === "line") return this.#options.syntax === "pipe" || this.#listed.size > 0
    return this.#place !== "words"
  }

  /** Reads a tag, or passes text that is none; returns the place after it. */
  #start(text: string, at: number, candidate: string): number {
    const tag = readTag(candidate, this.#options.syntax)
    const listed = tag && this.#listed.get(nameOf(tag.emotion))
    const needsList = tag?.isDoubtful || (this.#options.syntax === "bracket" && this.#place === "line")
    if (tag && (listed !== undefined || !needsList)) {
      this.#feel(listed ?? tag.emotion)
      this.#parts.say(tag.emphasis)
      this.#place = this.#options.syntax === "pipe" ? "line" : "words"
      this.#skips = "blanks"
      return at + tag.length
    }
    if (/^\s/.test(candidate)) {
      this.#parts.say(candidate.charAt(0))
      return at + 1
    }
    if (this.#place === "reply" || (this.#options.syntax === "pipe" && broken.test(candidate))) this.#warnOfForm()
    this.#place = "words"
    return this.#passWords(text, at)
  }

  #feel(emotion: string): void {
    if (this.#listed.size > 0 && !this.#listed.has(nameOf(emotion)) && !this.#warned.emotion) {
      this.#warned.emotion = true
      const known = [...this.#listed.values()].join(", ")
      this.#parts.add({ type: "warning", message: `expected one of the emotions ${known}; found ${JSON.stringify(emotion)}.` })
    }
    this.#parts.add({ type: "emotion", emotion })
  }

  #warnOfForm(): void {
    if (this.#warned.form) return
    this.#warned.form = true
    const message = `expected ${this.#options.expected}; what has no such tag is delivered as text.`
    this.#parts.add({ type: "warning", message })
  }

  #passWords(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const start = this.#starts.accept(text.charCodeAt(at))
      if (start === undefined) continue
      this.#place = start
      if (!this.#mayTag()) continue
      this.#parts.say(text.slice(from, at + 1))
      return at + 1
    }
    this.#parts.say(text.slice(from))
    return text.length
  }

  #skip(text: string, at: number): number {
    const unit = text.charCodeAt(at)
    if (this.#skips === "line-feed") {
      this.#skips = "nothing"
      return unit === 0x0a ? at + 1 : at
    }
    if (isLineBreak(unit)) {
      this.#place = "line"
      this.#skips = unit === 0x0d ? "line-feed" : "nothing"
      return at + 1
    }
    if (/\s/.test(text.charAt(at))) return at + 1
    this.#skips = "nothing"
    return at
  }
}

/** Tells, UTF-16 unit by unit, where a line begins, after a line break, and where a bubble begins, after `@br`. */
class LineStart {
  #isAfterWord = false
  #marked = 0

  /** Takes the next unit; returns what may begin after it. */
  accept(unit: number): "line" | "bubble" | undefined {
    const isFirst = unit === mark.charCodeAt(0)
    if (isFirst) this.#marked = this.#isAfterWord ? 0 : 1
    else this.#marked = this.#marked > 0 && unit === mark.charCodeAt(this.#marked) ? this.#marked + 1 : 0
    const isMark = this.#marked === mark.length
    if (isMark) this.#marked = 0
    this.#isAfterWord = !isMark && isWordUnit(unit)
    if (isMark) return "bubble"
    return isLineBreak(unit) ? "line" : undefined
  }
}

/** The syntax of a tag: `pipe` is `[EMOTION] ||| `, `bracket` is `[EMOTION] `. */
type TagSyntax = "pipe" | "bracket"

/** The tag of an emotion at the beginning of a text. */
interface EmotionTag {
  readonly emotion: string
  /** The tag's length in UTF-16 units, blanks before it included. */
  readonly length: number
  /** Asterisks before the tag that belong to the text, because they close only later. */
  readonly emphasis: string
  /** True for a tag that means something else in Markdown or in prose: a link, a footnote, a date, a time of day. */
  readonly isDoubtful: boolean
}

/** The greatest length of a tag: 16 blanks, a name of 32 units between brackets, 8 blanks, three bars, asterisks. */
const maxTagLength = 72

const blank = String.raw`[^\S\n-\r\u2028\u2029]`
const opening = "[[［【]"
const closing = String.raw`[\]］】]`
const bar = "[|｜]"
const letter = String.raw`[^\[\]［］【】|｜@\n-\r\u0085\u2028\u2029]`
const name = `${letter}{1,32}`
const lead = `^${blank}{0,16}`

/** Asterisks around the name or the tag, else asterisks that belong to the text. */
const whole: Readonly<Record<TagSyntax, RegExp>> = {
  bracket: new RegExp(`${lead}(?:(\\*{1,3})${opening}(${name})${closing}\\1|(\\*{0,3})${opening}(${name})${closing})`),
  pipe: new RegExp(
    `${lead}(?:(\\*{1,3})${opening}(${name})${closing}(?:\\1${blank}{0,8}${bar}{3}|${blank}{0,8}${bar}{3}\\1)` +
      `|(\\*{0,3})${opening}(${name})${closing}${blank}{0,8}${bar}{3})`,
  ),
}

/** A text that may be the beginning of a tag, or of a longer tag than the one it holds. */
const beginning: Readonly<Record<TagSyntax, RegExp>> = {
  bracket: new RegExp(`${lead}\\*{0,3}(?:${opening}(?:${letter}{0,32}(?:${closing}\\*{0,3})?)?)?$`),
  pipe: new RegExp(
    `${lead}\\*{0,3}(?:${opening}(?:${letter}{0,32}(?:${closing}\\*{0,3}${blank}{0,8}(?:${bar}{1,3}\\*{0,3})?)?)?)?$`,
  ),
}

/** A text that begins with a failed attempt at a tag with bars. */
const broken = new RegExp(`${lead}\\*{0,3}${opening}${letter}{0,32}(?:${closing}\\*{0,3}${blank}{0,8})?${bar}`)

/** Figures and the punctuation between them. */
const figures = /^[\d\s.,:/-]*$/

/** The tag that `text` begins with. A text that was cut short may have a longer one: test {@link beginning} first. */
function readTag(text: string, syntax: TagSyntax): EmotionTag | undefined {
  const match = whole[syntax].exec(text)
  if (match === null) return undefined
  const [tag, , around, emphasis = "", bare] = match
  const emotion = (around ?? bare ?? "").trim()
  if (emotion === "") return undefined
  const isLink = tag.endsWith("]") && text.charAt(tag.length) === "("
  return { emotion, length: tag.length, emphasis, isDoubtful: syntax === "bracket" && (isLink || figures.test(emotion)) }
}
