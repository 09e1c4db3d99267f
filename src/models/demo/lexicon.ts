/**
 * Words that mean the same across the two languages the demo understands. A text that holds any word of a group holds
 * the group's meaning; longer words count before the shorter ones inside them.
 */
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
    ...[
      "添加",
      "设置",
      "设定",
      "设个",
      "设一个",
      "新建",
      "新增",
      "创建",
      "加个",
      "加一个",
      "提醒我",
      "记下",
      "叫我",
      "定个",
      "定一个",
    ],
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

/** Words that say nothing about what is wanted. */
export const fillers: ReadonlySet<string> = new Set([
  ...[
    "the",
    "and",
    "for",
    "you",
    "can",
    "could",
    "would",
    "please",
    "what",
    "whats",
    "how",
    "who",
    "why",
    "when",
    "where",
    "which",
  ],
  ...["is", "are", "was", "does", "did", "has", "have", "will", "this", "that", "with", "from", "about", "into", "your", "tell"],
  ...[
    "give",
    "get",
    "use",
    "want",
    "need",
    "like",
    "some",
    "any",
    "tool",
    "user",
    "returns",
    "there",
    "here",
    "now",
    "our",
    "its",
  ],
])

/** Characters that build Chinese sentences; a pair of characters with one of them in it is no word. */
export const particles: ReadonlySet<string> = new Set(
  "的了吗呢吧啊我你您他她它们是在有和与或把被就都也还很这那个一下请帮给要想会能可以什么怎样么为何哪谁多少不没去来到查询",
)
