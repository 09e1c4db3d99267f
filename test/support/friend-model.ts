import { demoModel } from "../../src/apps/cli/demo/demo-model.ts"
import type { LanguageModel, TurnFacts } from "../../src/core/model/language-model.ts"
import { textChunks } from "../../src/core/model/text-chunks.ts"

/** What a friend says to words that match, first of all to the first of them. */
type Replies = readonly (readonly [RegExp, string])[]

const replies: Readonly<Record<"zh-CN" | "en", Replies>> = {
  "zh-CN": [
    [/购物清单/, "放好啦，去买的时候再看一眼。"],
    [/猫叫什么/, "记得，嗝噜躲进了钢琴里。"],
    [/捡到的？/, "嗝噜是在车站捡到的，手术是住院的下一个周三。"],
    [/番茄/, "番茄急不得，多晒晒就红了。"],
    [/婚礼/, "请柬先写十张，剩下的明天再说。"],
    [/自行车/, "手上抹一点白糖再洗，油就掉了。"],
    [/合唱团/, "唱不准也好听，我想去听。"],
    [/晚安|我睡了/, "晚安。"],
    [/早|你好/, "早呀，今天也慢慢来。"],
    [/住院|出院/, "替我问候妈妈，要她慢慢走。"],
    [/./, "嗯，我记住啦。"],
  ],
  en: [
    [/shopping list/, "There it is. Look at it once more before you go."],
    [/cat is called/, "I do: Miso hid in the piano."],
    [/Where did we find/, "You found her at the station, and the operation was on the Wednesday after."],
    [/tomatoes/, "Tomatoes take their time. A week of sun and they are red."],
    [/wedding/, "Write ten invitations today and leave the rest for tomorrow."],
    [/bicycle/, "Rub a little sugar on your hands first, and the oil comes off."],
    [/choir/, "Out of tune is fine with me, I would come and listen."],
    [/night|bed/, "Good night."],
    [/morning|Hi,|Hello/, "Morning! One thing after the other today."],
    [/mother/, "Tell your mother to take it slowly, from me."],
    [/./, "I will remember that."],
  ],
}

const documents = {
  "zh-CN": {
    user: "# 主人\n\n- 叫小林，在出版社校对稿子。\n",
    moved: "# 记忆\n\n- 一月中旬，他们从西湖边搬到了桂花巷。\n",
    ill: "- 他对核桃过敏，吃过一次急诊的亏。\n",
  },
  en: {
    user: "# My user\n\n- Lin, reads proofs for a publisher.\n",
    moved: "# Memories\n\n- In the middle of January they moved from the lake to Harbour Lane.\n",
    ill: "- Lin is allergic to walnuts and once went to the emergency room.\n",
  },
}

/**
 * A model that answers the lives of `test/apps/cli/scripts/life.*.sim` as a friend would, by rule. It keeps what it is asked to keep
 * in the workspace, fetches earlier messages when it is asked if it remembers, and writes USER.md and MEMORY.md where it has them.
 */
export function friendModel(locale: "zh-CN" | "en"): LanguageModel {
  const demo = demoModel({ locale })
  return {
    ...{ id: "friend", capabilities: demo.capabilities },
    async *stream(request, options) {
      const { facts } = request
      if (facts === undefined || facts.background) return yield* demo.stream(request, options)
      const message = replies[locale].find(([words]) => words.test(facts.question))?.[1] ?? ""
      const owesReport = facts.tools.some(({ name }) => name === "report_use")
      const used = /购物清单|shopping list/.test(facts.question) ? ["shopping.md"] : []
      const finish = { action: "finish", message, ...(owesReport && { tool: "report_use", args: { used } }) }
      const text = facts.tools.length === 0 ? message : JSON.stringify(callOf(facts, documents[locale]) ?? finish)
      for (const delta of textChunks(text, 60)) yield { type: "text-delta", delta }
      yield { type: "finish", reason: "stop" }
    },
  }
}

/** The call with which a friend begins an answer; undefined if none is needed. */
function callOf({ question, tools, runs }: TurnFacts, { user, moved, ill }: (typeof documents)["en"]): object | undefined {
  const offers = (name: string): boolean => tools.some((tool) => tool.name === name)
  const call = (tool: string, args: object): object | undefined =>
    offers(tool) && runs.length === 0 ? { action: "tool", tool, args } : undefined
  const asked = /购物清单|shopping list|还记得|remember what/.test(question)
  if (asked && offers("tools")) return call("tools", { request: question })
  if (/购物清单|shopping list/.test(question))
    return call("put_into_workspace", { id: "%[shopping.md]", text: question.slice(question.search(/[:：]/) + 1).trim() })
  if (/还记得|remember what/.test(question)) return call("pull_messages", { number: 3, from: "20260109" })
  if (/我叫|My name/.test(question)) return call("write", { path: "USER.md", content: user })
  if (/搬到|We moved/.test(question)) return call("write", { path: "MEMORY.md", content: moved })
  if (/我对核桃|I am allergic/.test(question))
    return call("edit", { path: "MEMORY.md", old_text: moved, new_text: `${moved}${ill}` })
  return undefined
}
