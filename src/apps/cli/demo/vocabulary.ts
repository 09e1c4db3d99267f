/** The subject of a text: its meanings and its significant words. */
export interface Words {
  readonly meanings: ReadonlySet<string>
  /** Lower-case words of three letters or more, and pairs of neighbouring Chinese characters. */
  readonly words: ReadonlySet<string>
}

/** Reads a text, or a name such as `add_schedule` or `queryWeather`. */
export function wordsOf(text: string): Words {
  const plain = text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
  return {
    meanings: new Set(byWord.filter(([word]) => indexOfWord(plain, word) >= 0).map(([, meaning]) => meaning)),
    words: new Set([...letterWords(plain), ...characterPairs(plain)]),
  }
}

/** Scores what two texts have in common: three for each meaning, two for each word. */
export function sharedScore(a: Words, b: Words): number {
  return 3 * sharedCount(a.meanings, b.meanings) + 2 * sharedCount(a.words, b.words)
}

function sharedCount(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return [...a].filter((word) => b.has(word)).length
}

/** The index of a word in a text, or -1. A word of Latin letters must be a whole word. */
export function indexOfWord(text: string, word: string): number {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const alone = !isLetter(text[at - 1]) && !isLetter(text[at + word.length])
    if (alone || !isLetter(word[0])) return at
  }
  return -1
}

/** True for a Chinese character. */
export function isHan(character: string | undefined): boolean {
  return character !== undefined && /^\p{Script=Han}/u.test(character)
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /^[a-z]/i.test(character)
}

function letterWords(text: string): readonly string[] {
  return (text.match(/[a-z]{3,}/g) ?? []).filter((word) => !fillers.has(word))
}

function characterPairs(text: string): readonly string[] {
  const characters = [...text]
  const telling = (character: string | undefined) => isHan(character) && !particles.has(character ?? "")
  return characters.flatMap((character, at) => {
    const next = characters[at + 1]
    return telling(character) && telling(next) ? [character + next] : []
  })
}

/** Words of both languages by meaning. A text with any word of a group has the group's meaning. */
export const meanings: Readonly<Record<string, readonly string[]>> = {
  weather: ["天气", "气温", "温度", "下雨", "下雪", "带伞", "weather", "forecast", "temperature", "rain", "raining", "snow"],
  time: [
    ...["几点", "几号", "时间", "日期", "星期几", "礼拜几", "周几", "几月", "什么时候了"],
    ...["time", "clock", "date", "day", "today's date", "o'clock"],
  ],
  calculate: [
    ...["计算", "算一下", "算算", "算出", "算式", "多少", "等于", "算"],
    ...["calculate", "calculator", "calc", "compute", "arithmetic", "math", "sum"],
  ],
  schedule: [
    ...["日程", "安排", "提醒", "闹钟", "行程", "开会", "会议", "待办", "预约", "日历"],
    ...["schedule", "remind", "reminder", "reminders", "alarm", "appointment", "calendar", "meeting", "todo"],
  ],
  add: [
    ...["添加", "设置", "设定", "设个", "设一个", "新建", "新增", "创建"],
    ...["加个", "加一个", "提醒我", "记下", "叫我", "定个", "定一个"],
    ...["add", "adds", "set", "create", "creates", "remind me", "note", "make", "book"],
  ],
  list: [
    ...["列出", "有哪些", "有什么", "哪些", "查看", "看看", "所有"],
    ...["list", "lists", "show", "what's on", "what is on", "planned", "all"],
  ],
  search: ["搜索", "查找", "检索", "资料", "文档", "知识库", "search", "searches", "documents", "docs"],
  translate: ["翻译", "translate", "translation", "translates"],
  news: ["新闻", "头条", "news", "headlines"],
  file: ["文件", "file", "files"],
  email: ["邮件", "邮箱", "email", "mail"],
  music: ["音乐", "歌", "播放", "music", "song", "play"],
}

const byWord: readonly (readonly [word: string, meaning: string])[] = Object.entries(meanings).flatMap(([meaning, words]) =>
  words.map((word) => [word, meaning] as const),
)

/** Words that say nothing about the subject. */
const fillers: ReadonlySet<string> = new Set(
  [
    "the and for you can could would please what whats how who why when where which is are was does did has have will this that",
    "with from about into your tell give get use want need like some any tool user returns there here now our its",
  ].flatMap((words) => words.split(" ")),
)

/** Chinese function words. A pair of characters with one of them is not taken as a word. */
const particles: ReadonlySet<string> = new Set(
  "的了吗呢吧啊我你您他她它们是在有和与或把被就都也还很这那个一下请帮给要想会能可以什么怎样么为何哪谁多少不没去来到查询",
)
