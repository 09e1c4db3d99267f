import { normaliseText } from "../recall/text/document-terms.ts"

const maxCharacters = 200

/** The end of what a sentence tells: its end, or a word with which it goes on. */
const end = String.raw`(?=\s*(?:[.,!;。！，；~～]|$)|\s+(?:now|these days|nowadays|again|since|and|but|with|as|in|near|for|because|last|this|next|today|yesterday|instead)\b)`
const opening = String.raw`(?:^|[.!;。！；\n]\s*)(?:(?:well|so|oh|ok|okay|yes|yeah|and|btw|by the way|actually|now|currently|nowadays|these days|just so you know|guess what)[\s,:!]+)*`
const place = String.raw`(?!(?:an?|the|free|fun|money|myself|me|you|us|him|them|it|my|our|your|his|her|their|this|that|constant|fear|hope|peace|harmony|denial|pain|poverty|comfort|sin|style|interesting)\b)[\p{L}.'’-]+(?: [\p{L}.'’-]+){0,3}?`
const word = String.raw`[\p{L}\p{N}.'’+#@-]+`

/** One fact of which a person has one at a time, by sentences in which people tell it of themselves. `$1` names the relation further. */
interface FactPattern {
  readonly relation: string
  readonly pattern: RegExp
}

const english = (relation: string, sentence: string): FactPattern => ({
  relation,
  pattern: new RegExp(`${opening}${sentence}${end}`, "u"),
})
const chinese = (relation: string, sentence: string): FactPattern => ({
  relation,
  pattern: new RegExp(`(?:^|[.!;,。！；，\\n\\s])${sentence}(?=$|[\\s.,!;。！，；~～]|了|啦|哦|呢|的)`, "u"),
})

const patterns: readonly FactPattern[] = [
  english("home", `(?:i|we) (?:(?:now|currently|still) )?live in (?<value>${place})`),
  english("home", `(?:i(?:'m| am)|we(?:'re| are)) (?:(?:now|currently) )?living in (?<value>${place})`),
  english("home", `(?:i|we)(?:'ve| have)? (?:just |recently |finally )?moved to (?<value>${place})`),
  english(
    "workplace",
    String.raw`i (?:(?:now|currently) )?work (?:at|for) (?!(?:home|nights?|least|once|all|school|now|hours|ages)\b)(?<value>${place})`,
  ),
  english(
    "workplace",
    `i(?:'ve| have)? (?:just |finally )?(?:got|found|started|have) (?:a|my) new job (?:at|with) (?<value>${place})`,
  ),
  english("name", String.raw`my name(?:'s| is) (?!not\b)(?<value>${word}(?: ${word})?)`),
  english("age", String.raw`(?:i(?:'m| am)) \d{1,3}(?: years old)?`),
  english(
    "$1",
    String.raw`my (?:new )?(phone number|number|email|e-mail|address|birthday|job)(?:'s| is) (?!(?:not|so|too|very|in|on|at|coming|next|today|tomorrow|soon)\b)${word}(?: ${word}){0,4}?`,
  ),
  english(
    "favourite $1",
    String.raw`my (?:new |all-time )?favou?rite (\p{L}+(?: \p{L}+)?)(?:'s| is) (?!not\b)${word}(?: ${word}){0,4}?`,
  ),
  english(
    "name of $1",
    `my (dog|cat|rabbit|hamster|husband|wife|boyfriend|girlfriend|fiancée?|boss)(?:'s name is| is (?:called|named)) ${word}`,
  ),
  chinese(
    "home",
    String.raw`(?:我|我们)(?:现在|目前|如今|已经|刚|刚刚)?(?:住在|住到|搬到|搬去|搬家到|搬来)了?(?![你他她这那]|酒店|宾馆|旅馆|医院|学校|宿舍|朋友|家里|一)(?<value>[\p{Script=Han}a-z]{2,8}?)`,
  ),
  chinese(
    "workplace",
    String.raw`我(?:刚|最近|又)?(?:换(?:了)?(?:新)?工作了?[,，]?(?:我)?)?(?:现在|目前|如今)?在(?![你他她这那]|家里?|一)(?<value>[\p{Script=Han}a-z0-9]{2,12}?)(?:上班|工作)`,
  ),
  chinese(
    "name",
    String.raw`我(?:的名字(?:是|叫)|叫)(?![他她它你您]|外卖|快递|车|滴滴|出租|救护|人|号|服务|客服|保安|了|醒|不|过)[\p{Script=Han}a-z]{2,4}?`,
  ),
  chinese("age", String.raw`我(?:今年|现在)?(?:已经)?[\d一二三四五六七八九十]{1,4}岁`),
  chinese(
    "$1",
    String.raw`我的?(?:新)?(电话|手机号|邮箱|地址|生日|工作|职业)(?:号码)?(?:是|:|改成|换成)了?(?!不|什么)[\p{L}\p{N}@.+-]{2,30}?`,
  ),
  chinese("最喜欢的$1", String.raw`我(?:现在)?最喜欢的(\p{Script=Han}{1,4})是(?!不)[\p{L}\p{N}]{1,12}?`),
  chinese(
    "$1的名字",
    String.raw`我(?:家|养)?的?(狗|猫|兔子|仓鼠|老公|老婆|男朋友|女朋友|丈夫|妻子|老板)(?:的名字)?叫(?![我你他她它了着得个醒不])[\p{Script=Han}a-z]{1,4}?`,
  ),
]

/** Words that make the rest no fact of now: it is denied, over, only wished for, or somebody else's words. */
const unsure =
  /\?|？|["“”「」]|\b(?:if|wish|used to|would|could|might|maybe|when i|imagine|pretend|dream(?:ed|t)?|as if|like|joking|kidding)\b|如果|要是|假如|以前|曾经|梦见|想象|假装|也许|可能|要不|就好了|吗|骗你|开玩笑/u

/** A lasting fact that a person tells of themselves. */
interface ToldFact {
  /** The relation of which there is one at a time, such as `home`. */
  readonly relation: string
  /** The words that may change, such as `madrid`, if the sentence says which those are. */
  readonly value: string | undefined
}

/** Reads the lasting fact that a person tells of themselves. Only plain sentences are read, because a fact that is missed costs less than one that is wrong. */
export function toldFact(text: string): ToldFact | undefined {
  if (text.length > maxCharacters) return undefined
  const normal = normaliseText(text)
  if (!/\b(?:i|i'm|i've|my|we|we're|we've)\b|我/.test(normal) || unsure.test(normal)) return undefined
  for (const { relation, pattern } of patterns) {
    const found = pattern.exec(normal)
    if (found !== null)
      return { relation: relation.replace("$1", found[1] ?? ""), value: found.groups?.value?.replace(/\.$/, "") }
  }
  return undefined
}
