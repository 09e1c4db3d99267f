import type { HistoryMessage } from "../../../core/conversation.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { sentencesOf } from "../../services/shorten-by-rule.ts"
import { contentTerms } from "../ranking.ts"
import { cutToWidth, textWidth } from "../text-width.ts"

/** A sentence of a conversation, and how much it tells. */
export interface Sentence {
  readonly message: HistoryMessage
  readonly text: string
  /** About the number of words that carry something: none in a greeting, fewer in a question, and fewer in an answer. */
  readonly worth: number
}

/** A turn as the call that judged it found it: its importance, from 0 to 10, and what happened in it, if that was asked for. */
export interface JudgedTurn {
  readonly importance: number
  readonly event?: string
}

/** Judged turns, by id. */
export type Judgements = ReadonlyMap<string, JudgedTurn>

/** The importance that a turn counts as where others were judged and it was not. */
const unjudged = 5
const shareOfQuestion = 0.5
const shareOfAnswer = 0.3
/** Beside the best sentence stand only those that tell at least this share of what it tells. */
const leastShare = 0.4
/** Below this width a shorter sentence is no better than a longer one that tells as much. */
const shortWidth = 20

/**
 * The sentences that tell most of a part of a conversation, in their order, as many as fit within a width (H1). The best one is always
 * there, cut if it must be; a sentence counts more in a turn that was judged more important. None if everything that a person said is
 * small talk and no turn was judged important, or if everything was judged to be worth nothing.
 */
export function bestSentences(messages: readonly HistoryMessage[], width: number, judged: Judgements): readonly Sentence[] {
  const sentences = messages.flatMap(sentencesIn)
  const heard = sentences.filter(({ message }) => message.role === "user")
  const isImportant = messages.some(({ turnId }) => (judged.get(turnId)?.importance ?? 0) > unjudged)
  if (heard.length > 0 && heard.every(({ worth }) => worth === 0) && !isImportant) return []
  const worthOf = ({ message, text, worth }: Sentence): number =>
    (worth * (judged.get(message.turnId)?.importance ?? unjudged)) / Math.sqrt(Math.max(shortWidth, textWidth(text)))
  const ranked = sentences.filter((sentence) => worthOf(sentence) > 0).sort((a, b) => worthOf(b) - worthOf(a))
  const [best] = ranked
  if (best === undefined) return []
  const taken = new Map([[best.text, cutToWidth(best.text, width)]])
  let left = width - textWidth(best.text)
  for (const sentence of ranked.slice(1)) {
    const its = textWidth(sentence.text) + 1
    if (its > left || worthOf(sentence) < worthOf(best) * leastShare || taken.has(sentence.text)) continue
    taken.set(sentence.text, sentence.text)
    left -= its
  }
  return sentences.flatMap((sentence) => {
    const text = taken.get(sentence.text)
    taken.delete(sentence.text)
    return text === undefined ? [] : { ...sentence, text }
  })
}

function sentencesIn(message: HistoryMessage): readonly Sentence[] {
  const share = message.role === "user" ? 1 : shareOfAnswer
  return sentencesOf(message.text).map((text) => {
    const told = text.split(clauseEnds).filter((clause) => !smallTalk().test(clause.trim()))
    const worth = contentTerms(told.join("\n")).size * (/[?？]/.test(text) ? share * shareOfQuestion : share)
    return { message, text, worth }
  })
}

const clauseEnds = /[,，、!！.。?？~～;；:：…\n]+/

const englishTalk = String.raw`(?:(?:good )?(?:morning|afternoon|evening|night)|hello|hi+|hey|yo|(?:good)?bye|see (?:you|ya)|thank(?:s| you)|how are you|how (?:was|is) your day|(?:how )?did you sleep|well|sweet dreams|have a \w+ \w+|i(?:'m| am) (?:back|off to bed)|what'?s up|nice to meet you|you'?re welcome|sleep well|ok(?:ay)?|yes|no|yeah|sure|great|(?:ha|he)+|h?mm+|so much|a lot|again|later|soon|tomorrow|today|doing|there|everyone|all|too|friend|dear|for (?:your |the |all )*\w+)`
const chineseTalk = `(?:(?:早上|上午|中午|下午|晚上|大家|你们?|您)好|早安?|[午晚]安|嗨|哈[喽啰]|在吗|再见|拜拜|(?:明天|回头|回)见|(?:谢|多)谢|感谢|辛苦|不(?:客气|用谢)|没(?:事|关系)|好久不见|(?:今天|最近|昨晚)?(?:过得|睡得)?(?:怎么样|好不好|还好|好)|做个?好梦|早点(?:休息|睡)|周末愉快|我?(?:先|去)?(?:睡|忙|走|回来)了|在(?:干嘛|忙什么)|真的|[嗯恩哦噢喔啊呀哎唉哈嘿呵嘻好行对是的了吧]+)[你您们呀啊哦哟啦了吧呢吗的]*(?:建议|推荐|关心|帮助|分享)?`
/** A clause that greets, thanks, nods or says goodbye, and nothing else. */
const smallTalk = lazyPattern(`^(?:${englishTalk}(?: ${englishTalk})*|${chineseTalk})$`, "iu")
