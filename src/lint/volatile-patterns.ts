import { lazyPattern } from "../core/lazy-pattern.ts"

/** Something that changes from day to day or from run to run, and what it is called. */
export interface VolatilePattern {
  readonly what: string
  readonly pattern: () => RegExp
  /** True where words such as "born" or "such as" on its line say that it is no news. */
  readonly excusable: boolean
}

/** What makes a stable text volatile. Every pattern is linear: no part of one can match in two ways. */
export const volatilePatterns: readonly VolatilePattern[] = [
  {
    what: "a random id",
    pattern: lazyPattern(String.raw`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`, "i"),
    excusable: false,
  },
  {
    what: "a random id",
    pattern: lazyPattern(String.raw`\b(?=[a-f]{0,23}\d)(?=\d{0,23}[a-f])[0-9a-f]{24,128}\b`, "i"),
    excusable: false,
  },
  {
    what: "today's date or the time",
    pattern: lazyPattern(
      String.raw`\b(?:today|tomorrow|the (?:current|present) (?:date|day|time)|the time) is (?:now )?(?:a )?(?:mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|\d)`,
      "i",
    ),
    excusable: false,
  },
  {
    what: "today's date or the time",
    pattern: lazyPattern(
      String.raw`(?:今天|明天|现在|此刻|当前(?:的)?(?:时间|日期|时刻))(?:是|为|：|:)[ ]?(?:\d|[零〇一二三四五六七八九十]+[月点号日]|周|星期|礼拜|上午|下午|凌晨|晚上)`,
      "",
    ),
    excusable: false,
  },
  {
    what: "a placeholder for the date, the time or an id, in a language that is not read here",
    pattern: lazyPattern(
      String.raw`\{\{ ?(?:current_?|today_?)?(?:date|time|datetime|timestamp|now|today|uuid|random_?id)(?:_?(?:date|time|now|id))? ?\}\}`,
      "i",
    ),
    excusable: false,
  },
  {
    what: "a date",
    pattern: lazyPattern(String.raw`(?<!\d)(?:19|20)\d\d(?:[-/.]\d{1,2}[-/.]\d{1,2}(?![\d-])|年\d{1,2}月\d{1,2}[日号])`, ""),
    excusable: true,
  },
]

/** Words that say why a date stands there for good. */
export const excuse = lazyPattern(
  String.raw`\b(?:born|birthday|birth|since|founded|established|version|such as|for example|for instance|example|e\.g|format|released|cutoff)\b|生日|出生|生于|诞生|成立|创立|版本|发布|例如|比如|譬如|示例|格式|如`,
  "i",
)
