import { mulberry32 } from "../../../src/core/mulberry.ts"
import type { RandomSource } from "../../../src/core/ports.ts"
import type { RecallDocument } from "../../../src/memory/services/recall/recall-query.ts"
import { type ChatLanguage, chatTexts, oneOf, shuffled } from "./assistant-chats.ts"
import type { RecallChat, SetQuestion } from "./recall-chat.ts"

/** Lines of a day that tell nothing that is asked for. `{who}`, `{where}` and `{what}` stand for one of a list. */
interface Noise {
  readonly lines: readonly string[]
  readonly who: readonly string[]
  readonly where: readonly string[]
  readonly what: readonly string[]
}

const noise: Readonly<Record<ChatLanguage, Noise>> = {
  en: {
    lines: [
      "met {who} at {where}, we talked about {what} for an hour",
      "{who} called, something about {what}, I was half asleep",
      "the queue at {where} was endless again",
      "bought {what} on the way home",
      "{who} says {where} is closing next month",
      "forgot {what} at {where}, had to go back",
      "a quiet evening with {what} and the radio",
      "{who} still owes me {what}",
      "rain all day, stayed in and sorted {what}",
      "lunch with {who} near {where}, too expensive",
      "my train was late, read half a book about {what}",
      "{who} has a new job, far away from {where}",
      "tried to repair {what}, made it worse",
      "they are rebuilding {where}, noise from seven in the morning",
      "{who} sent me photos of {what}, how sweet",
      "no plans for the weekend, maybe {where}",
      "{who}'s dog ate {what}, the vet was not amused",
      "{who} wants to live near {where}, the city is getting too loud",
      "{who} has an exam soon and is studying {what} of all things",
      "{who}'s boss moved the meeting to {where}",
      "{who} went on holiday and brought me {what}",
      "{who}'s sister plays in a band, they rehearse behind {where}",
      "{who} sold the car, it stood at {where} for weeks",
      "{who} is allergic to everything, even to {what}",
      "it was {who}'s birthday, we ate cake at {where}",
    ],
    who: [
      "Tom",
      "aunt Vera",
      "the plumber",
      "Lukas",
      "an old classmate",
      "Mrs Bell",
      "my cousin",
      "Deniz",
      "the postman",
      "Aiko",
    ],
    where: [
      "the market",
      "the swimming pool",
      "the library",
      "the station",
      "the new bakery",
      "the town hall",
      "the cinema",
      "the lake",
    ],
    what: [
      "old records",
      "bread",
      "the umbrella",
      "candles",
      "a lamp",
      "mushrooms",
      "the tax forms",
      "a chess set",
      "winter coats",
      "photo albums",
    ],
  },
  zh: {
    lines: [
      "在{where}碰到{who}，聊了一个小时{what}",
      "{who}打电话来说{what}的事，我半睡半醒",
      "{where}又排了好长的队",
      "回家路上买了{what}",
      "{who}说{where}下个月要关门",
      "把{what}忘在{where}了，又跑回去一趟",
      "安静的晚上，一个人整理{what}",
      "{who}还欠我{what}呢",
      "下了一天雨，在家收拾{what}",
      "跟{who}在{where}附近吃午饭，太贵了",
      "火车晚点，看了半本讲{what}的书",
      "{who}换了新工作，离{where}很远",
      "想修{what}，结果修得更坏",
      "{where}在装修，早上七点就开始吵",
      "{who}发来{what}的照片，真可爱",
      "周末没安排，可能去{where}",
      "{who}家的猫把{what}咬坏了，送医院花了不少钱",
      "{who}想住到{where}旁边，嫌城市太吵",
      "{who}快考试了，居然在学{what}",
      "{who}的领导把会改到{where}开",
      "{who}旅行回来，给我带了{what}",
      "{who}的妹妹在乐队，晚上在{where}后面练",
      "{who}把车卖了，之前在{where}停了好几个星期",
      "{who}对什么都过敏，连{what}都不行",
      "今天是{who}的生日，在{where}吃了蛋糕",
    ],
    who: ["小汤", "薇姨", "修水管的师傅", "老同学", "贝太太", "表哥", "邮递员", "阿德", "隔壁组的同事", "房产中介"],
    where: ["菜市场", "游泳馆", "图书馆", "火车站", "新开的面包店", "市政厅", "电影院", "湖边"],
    what: ["老唱片", "面包", "雨伞", "蜡烛", "台灯", "蘑菇", "报税的表格", "象棋", "冬天的大衣", "相册"],
  },
}

const noiseLines = 160

function noiseLine({ lines, who, where, what }: Noise, random: RandomSource): string {
  return oneOf(random, lines)
    .replace("{who}", oneOf(random, who))
    .replace("{where}", oneOf(random, where))
    .replace("{what}", oneOf(random, what))
}

/** A diary of one person: each line stands alone, some tell facts, most do not. */
function diary(language: ChatLanguage, number: number): RecallChat {
  const id = `facts-${language}-${number}`
  const random = mulberry32(id)
  const facts = chatTexts[language].topics.flatMap((topic) => topic.facts)
  const told = shuffled(random, facts).flatMap(({ kind, say, later = say, ask, values }) => {
    const text = oneOf(random, kind === "changed" ? later : say).replace("{v}", oneOf(random, values))
    return [{ text, asks: { kind, text: oneOf(random, ask) } }]
  })
  const others = Array.from({ length: noiseLines }, () => ({ text: noiseLine(noise[language], random), asks: undefined }))
  const questions: SetQuestion[] = []
  let atMs = Date.UTC(2025, number % 12, 2, 8)
  const lines = shuffled(random, [...told, ...others]).map(({ text, asks }, turn): RecallDocument => {
    atMs += (0.3 + 7 * random()) * 3_600_000
    if (asks !== undefined) questions.push({ ...asks, evidence: [[`${id}:${turn}`]] })
    return { id: `${id}:${turn}`, text, atMs, speaker: { id: "user", name: "Sam" }, session: id, turn, importance: 5 }
  })
  return { id, lines, questions, nowMs: atMs + 86_400_000, askedBy: "user", askedOf: "bot" }
}

/** Facts that stand alone among lines of every day, eight diaries of each language. */
export function singleFacts(language: ChatLanguage): RecallChat[] {
  return Array.from({ length: 8 }, (_, number) => diary(language, number))
}
