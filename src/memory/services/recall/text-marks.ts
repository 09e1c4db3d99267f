import { normaliseText } from "./text/document-terms.ts"
import { findTimes } from "./time/find-times.ts"
import { dayMs } from "./time/local-calendar.ts"
import type { ToldDays } from "./time/time-match.ts"

/** Properties of a text that ranking uses beside its terms. */
export interface TextMarks {
  /** It contains an expression of time. */
  readonly time: boolean
  /** It contains a number. */
  readonly number: boolean
  /** Most of it stands in questions. */
  readonly question: boolean
  /** The days that it tells about, if they are fewer than a quarter of a year. */
  readonly told?: ToldDays | undefined
}

/** Marks are read from this much of a text's beginning. */
const maxMarkedCharacters = 2_000
const maxToldDays = 92

const numberWord =
  /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|hundred|thousand|dozen|couple|twice|half)\b|[一二两三四五六七八九十百千万半][个只条张本次岁年天位块元斤里公小月周口名件双]/

/** The marks of a text that was said at `atMs`. `dates` name the days that it tells of, if its own words do not. */
export function textMarks(text: string, atMs: number, dates: readonly string[] = []): TextMarks {
  const normal = normaliseText(text.slice(0, maxMarkedCharacters))
  const times = findTimes(normal, Math.floor(atMs / dayMs))
  const days = dates.map((date) => Date.parse(date) / dayMs).filter(Number.isInteger)
  const own = times.flatMap(({ references }) => references).find((reference) => reference.kind === "span")
  const told = own ?? (days.length > 0 ? { fromDay: Math.min(...days), toDay: Math.max(...days) } : undefined)
  const few = told !== undefined && told.toDay - told.fromDay < maxToldDays
  return {
    question: isQuestion(normal),
    time: times.length > 0,
    number: numberWord.test(normal),
    told: few ? { fromDay: told.fromDay, toDay: told.toDay } : undefined,
  }
}

const sentence = /([^.!?。！？\n]+)([.!?。！？\n]*)/g
const questionShare = 2 / 3

/** True if most of a normalised text stands in sentences that end with a question mark. */
export function isQuestion(text: string): boolean {
  let asked = 0
  let told = 0
  for (const [, words = "", end = ""] of text.matchAll(sentence)) {
    if (/[?？]/.test(end)) asked += words.length
    else told += words.length
  }
  return asked > 0 && asked >= (asked + told) * questionShare
}

const asksWhen =
  /\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bwhich (?:day|month|year)\b|\bhow (?:long|recently|soon)\b|什么时候|何时|哪天|哪一天|哪年|哪一年|几号|几月|多久|几点/
const asksHowMany =
  /\bhow (?:many|much|old|often|far|long|big|tall)\b|\bwhat (?:age|number|size|price)\b|多少|几个|几岁|多大|几次|几天|几年|多久/

/** The marks that an answer to this question has. */
export function askedMarks(normalText: string): { readonly time: boolean; readonly number: boolean } {
  return { time: asksWhen.test(normalText), number: asksHowMany.test(normalText) }
}

const asksNewest =
  /\b(?:now|nowadays|currently|current|these days|at the moment|at present|presently|lately|recently|latest|newest|most recent|by now|as of today|anymore)\b|现在|現在|目前|如今|最近|最新|近来|近來|眼下|当前|當前|这阵子|這陣子/
const asksOldest =
  /\b(?:at first|originally|initially|earliest|oldest|in the beginning|to begin with|very first|first time|first(?! (?:name|names|aid|class|floor|lady|of all|thing)\b))\b|最早|最初|起初|起先|一开始|一開始|当初|當初|第一次|首次/

/** A single line up to this length is read as a question, with or without its mark. */
const maxQuestionCharacters = 200

/**
 * The end of time that a question asks for. A question for both ("the first and the latest") asks for none. Of several lines only
 * those that end with a question mark count, because people also tell about what they do now.
 */
export function askedOrder(normalText: string): "newest" | "oldest" | undefined {
  const line = normalText.trim()
  const single = line.length <= maxQuestionCharacters && !line.includes("\n")
  const asked = single
    ? line
    : Array.from(normalText.matchAll(sentence), ([all, , end = ""]) => (/[?？]/.test(end) ? all : "")).join("")
  const [newest, oldest] = [asksNewest.test(asked), asksOldest.test(asked)]
  return newest === oldest ? undefined : newest ? "newest" : "oldest"
}

const chineseInterrogatives = /什么(?:时候)?|为什么|为啥|怎么样?|怎样|哪(?:里|儿|个|些|天|年)|多少|多久/g

/** The Chinese words by which a single line asks. In several lines of dialogue they belong to what was said. */
export function interrogatives(normalText: string): readonly string[] {
  return normalText.trim().includes("\n") ? [] : (normalText.match(chineseInterrogatives) ?? [])
}

const asksBefore =
  /\bused to\b|\bpreviously\b|\bformerly\b|\bbefore(?: that| then| now)?\s*[?.!]*\s*$|以前|从前|從前|原来|原來|之前/

/** True if a question asks for what held before, of a fact that has changed. */
export function asksForPast(normalText: string): boolean {
  return askedOrder(normalText) === "oldest" || asksBefore.test(normalText)
}

const beforeWhat = /\bbefore ([^,.?!;\n]+)/

/** The words before whose time a question asks for something: `before i moved to madrid`, 搬到马德里之前. */
export function askedBefore(normalText: string): string | undefined {
  const [, english] = beforeWhat.exec(normalText) ?? []
  if (english !== undefined) return english
  // Each clause is looked at from its end: a pattern for both would try every beginning of a long text without a break.
  const clauses = normalText.split(/[，。？！,.?!;\s]/)
  const ends = clauses.map((clause) => Math.max(clause.lastIndexOf("之前"), clause.lastIndexOf("以前")))
  const at = ends.findIndex((end) => end > 0)
  return clauses[at]?.slice(0, ends[at])
}
