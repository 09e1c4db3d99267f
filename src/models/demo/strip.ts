/** What stands around the words that matter. */
interface Surroundings {
  readonly leading: readonly string[]
  readonly trailing: readonly string[]
  /** True when the last word stays even if it is one of these. */
  readonly keepsLast: boolean
}

const asking = list(
  "麻烦你|麻烦|请问|请|帮我|帮忙|给我|替我|我想知道|我想|我要|你能|能不能|可以|告诉我|提醒我|提醒|叫我|记得|设置|设定|添加|新建|创建|一下|一个",
  "查询|查查|搜索|翻译|现在|今天|明天|后天|那么|的|并|can you|could you|please|i want to|i would like to|remind me|remind|schedule|set|add",
  "create|book|make|what is|what's|what|how is|how's|how|tell me|show me|search|find|look up|translate|the|an|a|my|to|for|about|that|on|at|of|in|and",
)

const closing = list(
  "怎么样|怎样|如何|好吗|吗|呢|吧|啊|的|了|一下|是什么|今天|明天|后天|现在",
  "right now|now|please|today|tomorrow|tonight|for|at|on|to|in|and|like|the|a|is",
)

const aroundPoint: Surroundings = { leading: asking, trailing: closing, keepsLast: true }

// In a title these single characters may be part of a word.
const aroundPlace: Surroundings = {
  leading: [...asking, ..."查看在到去要再"],
  trailing: [...closing, "会不会", "会"],
  keepsLast: false,
}

const maxStrips = 30

/** What a text asks to note or to look for: `提醒我去医院` → `去医院`. Blank only for a text without words. */
export function pointOf(text: string): string {
  return strip(text, aroundPoint)
}

/** The place that a stretch of text names: `帮我查一下北京的` → `北京`; `""` where it names none. */
export function placeIn(text: string): string {
  return strip(text, aroundPlace)
}

function strip(text: string, around: Surroundings): string {
  let rest = bare(text)
  for (let strips = 0; strips < maxStrips; strips++) {
    const shorter = stripOnce(rest, around)
    if (shorter === undefined || (shorter === "" && around.keepsLast)) break
    rest = shorter
  }
  return rest
}

function stripOnce(text: string, { leading, trailing }: Surroundings): string | undefined {
  const lower = text.toLowerCase()
  const first = leading.find((phrase) => lower.startsWith(phrase) && isWhole(phrase, lower[phrase.length]))
  if (first !== undefined) return bare(text.slice(first.length))
  const last = trailing.find((phrase) => lower.endsWith(phrase) && isWhole(phrase, lower[lower.length - phrase.length - 1]))
  return last === undefined ? undefined : bare(text.slice(0, text.length - last.length))
}

/** A phrase of letters must not end inside a word. */
function isWhole(phrase: string, next: string | undefined): boolean {
  return !/[a-z]/.test(phrase) || next === undefined || !/[\p{L}\d]/u.test(next)
}

function bare(text: string): string {
  return text.replace(/^[\s\p{P}]{1,100}/u, "").replace(/[\s\p{P}]{1,100}$/u, "")
}

function list(...phrases: readonly string[]): readonly string[] {
  return phrases.flatMap((some) => some.split("|"))
}
