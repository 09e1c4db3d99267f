import { normaliseText } from "../recall/text/document-terms.ts"

const maxCharacters = 200

/** The end of what a sentence tells: its end, or a word with which it goes on. */
const end = String.raw`(?=\s*(?:[.,!;。！，；~～]|$)|\s+(?:now|these days|nowadays|again|since|any ?more|any longer|for good|and|but|with|as|in|near|for|because|last|this|next|today|yesterday|instead)\b)`
const opening = String.raw`(?:^|[.!;。！；\n]\s*)(?:(?:well|so|oh|ok|okay|yes|yeah|and|btw|by the way|actually|now|currently|nowadays|these days|just so you know|guess what)[\s,:!]+)*`
const place = String.raw`(?!(?:an?|the|free|fun|money|myself|me|you|us|him|them|it|my|our|your|his|her|their|this|that|constant|fear|hope|peace|harmony|denial|pain|poverty|comfort|sin|style|interesting)\b)[\p{L}.'’-]+(?: [\p{L}.'’-]+){0,3}?`
const word = String.raw`[\p{L}\p{N}.'’+#@-]+`

/**
 * Facts of which a person has one at a time, by relation: sentences in which people tell such a fact of themselves, or that it is over.
 * `$1` names the relation further; a value in the group `named` must begin with a capital letter.
 */
type FactSentences = Readonly<Record<string, readonly string[]>>

const lately = `(?:'ve| have)? (?:(?:just|recently|finally|now|really|officially) )*`
const object = `(?!(?:an?|the|it|that|this|these|those|you|your|my|me|him|her|his|them|their|how|what|when|where|who|to|being|all|some|any|most|everything|nothing|not|so|very)\\b)(${word}(?: ${word})??)`

const english: FactSentences = {
  home: [
    `(?:i|we) (?:(?:now|currently|still) )?live in (?<value>${place})`,
    `(?:i(?:'m| am)|we(?:'re| are)) (?:(?:now|currently) )?living in (?<value>${place})`,
    `(?:i|we)${lately}(?:moved|relocated) to (?<value>${place})`,
    `(?:i|we)${lately}(?:relocated|moved (?:house|homes?|away|cities|flats|apartments))`,
    `(?!.*\\b(?:holidays?|vacation|trip|business|conference|visit\\w*|weekend|meeting)\\b)(?:i(?:'m| am)|we(?:'re| are)) in (?<named>${place}) (?:now|these days|for good)`,
  ],
  workplace: [
    String.raw`i (?:(?:now|currently) )?work (?:at|for) (?!(?:home|nights?|least|once|all|school|now|hours|ages)\b)(?<value>${place})`,
    `i${lately}(?:got|found|started|have) (?:a|my) new job (?:at|with) (?<value>${place})`,
    `i (?:don't|do not|no longer) work (?:at|for) (?<value>${place})`,
    `i${lately}(?:quit|resigned from|retired from|got fired from|was laid off by) (?<named>${place})`,
    `i${lately}(?:(?:quit|lost|left) my job|(?:got|was) (?:fired|laid off)|resigned|retired)`,
  ],
  partner: [
    `(?:i|we|me and ${word}|${word} and (?:i|me))${lately}(?:broke|broken|split) up(?: with (?:my )?${word})?`,
    `(?:i|we|${word} and i)${lately}(?:got|gotten|are|am|'re|'m) (?:married|engaged|divorced|back together)`,
    `i(?:'m| am) (?:(?:now|still|happily) )*(?:single|married|engaged|divorced)`,
    `i (?:now )?have a (?:new )?(?:boy|girl)friend`,
  ],
  diet: [
    `i(?:'m| am) (?:(?:a|an|now|not|still|no longer|strict) )*(?:vegan|vegetarian|pescatarian)`,
    `i${lately}(?:became|become|went|gone|turned) (?:a )?(?:vegan|vegetarian|pescatarian)`,
    `i (?:(?:don't|do not|never|no longer|now|still) )*eat (?:any )?(?:meat|fish|animal products)`,
    `i${lately}(?:stopped|started|gave up|given up|quit) (?:eating )?(?:meat|fish)`,
  ],
  name: [String.raw`my name(?:'s| is) (?!not\b)(?<value>${word}(?: ${word})?)`],
  age: [String.raw`(?:i(?:'m| am)) \d{1,3}(?: years old)?`],
  $1: [
    String.raw`my (?:new )?(phone number|number|email|e-mail|address|birthday|job)(?:'s| is) (?!(?:not|so|too|very|in|on|at|coming|next|today|tomorrow|soon)\b)${word}(?: ${word}){0,4}?`,
  ],
  "favourite $1": [
    String.raw`my (?:new |all-time )?favou?rite (\p{L}+(?: \p{L}+)?)(?:'s| is) (?!not\b)${word}(?: ${word}){0,4}?`,
  ],
  "name of $1": [
    `my (dog|cat|rabbit|hamster|husband|wife|boyfriend|girlfriend|fiancee?|boss)(?:'s name is| is (?:called|named)) ${word}`,
  ],
  "likes $1": [
    `i (?:(?:don't|do not|no longer|never|really|still|also|just|absolutely) )*(?:like|love|enjoy|adore|hate|dislike|drink) (?:(?:eating|drinking) )?${object}`,
    `i${lately}(?:(?:stopped|quit) (?:eating|drinking|liking)|(?:gave|given) up(?: eating| drinking)?) ${object}`,
  ],
}

const englishNames: FactSentences = {
  nickname: [
    `(?:(?:please|just|you can|everyone|everybody|people|my friends|they all) )*calls? me (?!(?:mon|tues|wednes|thurs|fri|satur|sun)day\\b)(?<named>${word})`,
    `my nickname(?:'s| is) (?!not\\b)(?<value>${word})`,
  ],
}

const before =
  "(?:现在|目前|如今|已经|刚刚?|最近|上周|上个?月|去年|前年|昨天|前天|今天|前几天|这周|这个?月|终于|又|其实|真的|特别|最|很|还是|也){0,3}"
const chinese: FactSentences = {
  home: [
    String.raw`(?:我|我们)${before}(?:住在|住到|搬到|搬去|搬家到|搬来)了?(?![你他她这那]|酒店|宾馆|旅馆|医院|学校|宿舍|朋友|家里|一)(?<value>[\p{Script=Han}a-z]{2,8}?)`,
    String.raw`(?:我|我们)${before}在(?![你他她这那家])(?<value>[\p{Script=Han}a-z]{2,8}?)(?:定居|生活)`,
    `(?:我|我们)${before}搬家`,
  ],
  workplace: [
    String.raw`我(?:刚|最近|又)?(?:换(?:了)?(?:新)?工作了?[,，]?(?:我)?)?(?:现在|目前|如今)?在(?![你他她这那]|家里?|一)(?<value>[\p{Script=Han}a-z0-9]{2,12}?)(?:上班|工作)`,
    String.raw`我${before}(?:不在|从)(?![你他她这那]|家里?|一)(?<value>[\p{Script=Han}a-z0-9]{2,12}?)(?:上班|工作|离职|辞职)`,
    `我${before}(?:离职|辞职|辞了工作|被裁员?|失业|退休)`,
  ],
  partner: [
    String.raw`(?:我|我们|我[和跟]\p{Script=Han}{1,4}?)${before}(?:分手|离婚|结婚|订婚|复合|单身)`,
    `我${before}有(?:男|女)朋友`,
  ],
  diet: [`我${before}(?:开始|不|不再|再也不|是)?(?:吃素|吃荤|吃肉|素食者|素食主义者)`],
  nickname: [
    String.raw`(?:大家|朋友们?|同事们?|家里?人|你|你们|别人)?(?:都|可以|就)*叫我(?!小心|小声|小姐|老实|老师|老板|阿姨)(?<value>[老小阿][\p{Script=Han}]{1,2}?|[a-z]{2,12})(?:就好|就行|吧)?`,
    String.raw`我的?(?:外号|昵称|小名)(?:是|叫)(?!什么)(?<value>[\p{Script=Han}a-z]{1,8}?)`,
  ],
  name: [
    String.raw`我(?:的名字(?:是|叫)|叫)(?![他她它你您]|外卖|快递|车|滴滴|出租|救护|人|号|服务|客服|保安|了|醒|不|过)[\p{Script=Han}a-z]{2,4}?`,
  ],
  age: [String.raw`我(?:今年|现在)?(?:已经)?[\d一二三四五六七八九十]{1,4}岁`],
  $1: [
    String.raw`我的?(?:新)?(电话|手机号|邮箱|地址|生日|工作|职业)(?:号码)?(?:是|:|改成|换成)了?(?!不|什么)[\p{L}\p{N}@.+-]{2,30}?`,
  ],
  最喜欢的$1: [String.raw`我(?:现在)?最喜欢的(\p{Script=Han}{1,4})是(?!不)[\p{L}\p{N}]{1,12}?`],
  $1的名字: [
    String.raw`我(?:家|养)?的?(狗|猫|兔子|仓鼠|老公|老婆|男朋友|女朋友|丈夫|妻子|老板)(?:的名字)?叫(?![我你他她它了着得个醒不])[\p{Script=Han}a-z]{1,4}?`,
  ],
  喜欢$1: [
    String.raw`我${before}(?:(?:喜欢|爱|讨厌|不喜欢|不爱|戒)(?:吃|喝|抽)?|(?:能|不能|不再|不|再也不)(?:吃|喝|抽))(?![我你他她它了过的这那吃喝不去来]|饭|东西|药|早|午|晚)(\p{Script=Han}{1,4}?)(?!的)`,
  ],
}

const lastDot = /\.$/

/** A pattern is slow the first time, so only those of a text's language run: each stands with the words without which a text has no such sentence. */
const patterns = [
  ...compiled(english, /\b(?:i|i'm|i've|my|we|we're|we've)\b/, (sentence) => `${opening}${sentence}${end}`),
  ...compiled(englishNames, /\bcalls? me\b|\bmy nickname\b/, (sentence) => `${opening}${sentence}${end}`),
  ...compiled(
    chinese,
    /我/,
    (sentence) => String.raw`(?:^|[.!;,。！，；\n\s])${sentence}(?=$|[\s.,!;。！，；~～]|了|啦|哦|呢|的)`,
  ),
]

function compiled(facts: FactSentences, own: RegExp, whole: (sentence: string) => string) {
  return Object.entries(facts).flatMap(([relation, sentences]) =>
    sentences.map((sentence) => ({ relation, own, pattern: new RegExp(whole(sentence), "u") })),
  )
}

/** Words that make the rest no fact of now: it is denied, over, only wished for, or somebody else's words. */
const unsure =
  /\?|？|["“”「」]|\b(?:if|wish|used to|would|could|might|maybe|when i|imagine|pretend|dream(?:ed|t)?|as if|(?<!\b(?:i|i also|i still|i really|i just|don't|do not|longer|never|really|absolutely|stopped) )like|joking|kidding)\b|如果|要是|假如|以前|曾经|梦见|想象|假装|也许|可能|要不|就好了|吗|骗你|开玩笑/u

/** A lasting fact that a person tells of themselves. */
interface ToldFact {
  /** The relation of which there is one at a time, such as `home`. */
  readonly relation: string
  /** The words that may change, such as `madrid`, if the sentence says which those are. */
  readonly value: string | undefined
}

/** The words that go on with a sentence in which a fact was told, up to its end: with `I` before them, they may tell another. */
const goingOn = /^[了啦]?\s*(?:[,，、]\s*)?(?:(?:and|but|then|并且|而且|还|也)(?:\s+|(?=\p{Script=Han})))*([^.!;。！；\n]+)/u
const hasSubject = /^(?:i|i'm|i've|we|we're|we've|my)\b|^我/u

/** Reads the lasting facts that a person tells of themselves, one of each relation. Only plain sentences are read, because a fact that is missed costs less than one that is wrong. */
export function toldFacts(text: string): readonly ToldFact[] {
  if (text.length > maxCharacters) return []
  const normal = normaliseText(text)
  const found = new Map<string, ToldFact>()
  if (patterns.some(({ own }) => own.test(normal)) && !unsure.test(normal)) addFacts(normal, text, found)
  return [...found.values()]
}

function addFacts(normal: string, written: string, found: Map<string, ToldFact>): void {
  for (const { relation, own, pattern } of patterns) {
    const match = own.test(normal) ? pattern.exec(normal) : null
    if (match === null) continue
    const { named, value = named } = match.groups ?? {}
    if (named !== undefined && !written.includes(` ${named.charAt(0).toUpperCase()}${named.slice(1, 2)}`)) continue
    const name = relation.replace("$1", match[1] ?? "").replace(lastDot, "")
    if (found.has(name)) continue
    found.set(name, { relation: name, value: value?.replace(lastDot, "") })
    const rest = goingOn.exec(normal.slice(match.index + match[0].length))?.[1]
    if (rest === undefined) continue
    const subject = hasSubject.test(rest) ? "" : /^\p{Script=Han}/u.test(rest) ? "我" : "i "
    addFacts(`${subject}${rest}`, written, found)
  }
}
