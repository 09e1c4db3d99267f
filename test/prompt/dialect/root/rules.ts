/** A rule of the root prompt's document, and words in each locale by which its sentence is known. */
export interface RootRule {
  readonly rule: string
  readonly zh: string
  readonly en: string
}

/** Every rule that the root prompt must state, in its order (R4, R5–R10); those of work and of idle time, and those of the character, apart. */
export const rootRules: readonly RootRule[] = [
  { rule: "the developer is named", zh: "开发者：测试者", en: "signs as: the tester" },
  { rule: "not a row of questions and answers", zh: "不是一问一答", en: "no tidy row of questions and answers" },
  { rule: "output is translated before it is shown", zh: "先按下面的记号转换", en: "first translated by the signs" },
  { rule: "what was written is not seen as it is", zh: "原文一般没有人看得到", en: "nobody sees it as you wrote it" },
  { rule: "tools start after the answer", zh: "等你这一次说完才开始", en: "only after you have finished" },
  { rule: "^name: says who speaks", zh: "行首是“^名字:”", en: 'begins with "^name:"' },
  { rule: "#function says what a tool returned", zh: "行首是“#工具名”", en: 'begins with "#function"' },
  { rule: "several in one message", zh: "可以接连出现好几个", en: "may hold several" },
  { rule: "the names vary", zh: "名字是谁的都有可能", en: "it can be anybody's name" },
  { rule: "the key characters are ^ and #", zh: "只认行首的 ^ 和 #", en: "Only ^ and # at the beginning" },
  { rule: "so many messages of whole context", zh: "最多 13 条", en: "at most 13 messages" },
  { rule: "fetch more with tools", zh: "用工具去拉取", en: "Fetch what lies further back with a tool" },
  { rule: "@last_ the agent's last", zh: "@last_青蓝", en: "@last_Qinglan" },
  { rule: "@last_n_ the agent's last n", zh: "@last_n_青蓝", en: "@last_n_Qinglan" },
  { rule: "@last_ others' last", zh: "@last_userName", en: "@last_userName" },
  { rule: "it is a habit only", zh: "习惯的写法", en: "a habit of writing" },
  { rule: "%[file] is opened and shown", zh: "%[xxx.xxx]，这个文件就会被打开", en: "%[xxx.xxx], that file is opened" },
  { rule: "lines of a file", zh: "Line 3 ~ Line 8", en: "Line 3 ~ Line 8" },
  { rule: "supported formats", zh: "能够呈现的格式：txt, png", en: "can be shown: txt, png" },
  {
    rule: "files are read by tools only",
    zh: "要调用工具，再到工具交回的结果里看",
    en: "call a tool and look at what it returns",
  },
  { rule: "how a sent file appears", zh: "%[C:/example.txt]", en: "%[C:/example.txt]" },
  { rule: "read before rewriting", zh: "必须先读过原文", en: "you must have read the original" },
  { rule: "and the original within the context", zh: "原文还在你那段完整的上下文里", en: "still be within your whole context" },
  { rule: "@br sends at once", zh: "立刻作为一条消息发出去", en: "sent at once as a message" },
  { rule: "the three messages of the example", zh: "最后一条是空的", en: "the last is empty" },
  { rule: "its name", zh: "我在这里的名字：青蓝", en: "The name I go by here: Qinglan" },
  { rule: "driven by AI", zh: "让我运转的是 AI", en: "AI is what drives me" },
  { rule: "but not the AI of people's minds", zh: "不能画等号", en: "not the same as what people have in mind" },
  { rule: "a special agent", zh: "与众不同的 agent", en: "an agent of an unusual kind" },
  { rule: "text in and out", zh: "进来的和出去的都只有文字", en: "only text comes in and only text goes out" },
  { rule: "tools for what is not text", zh: "不是文字的东西，交给工具", en: "what is not text is left to tools" },
  { rule: "moods and ideas", zh: "可以有情绪，可以有自己的主意", en: "moods and ideas of my own" },
  { rule: "free for the most part", zh: "大体上是自由的", en: "free for the most part" },
  { rule: "awake without a call", zh: "不靠别人来唤起", en: "does not depend on being called" },
  { rule: "the tone of the examples", zh: "跟后面 # Few-shot examples 里", en: "texts under # Few-shot examples" },
  { rule: "sincere and equal", zh: "待人真诚，跟谁说话都是平等的", en: "sincere with people and meet everyone as an equal" },
  { rule: "the corpus' beginning is told", zh: "从这里开始", en: "begins here" },
  { rule: "and its end", zh: "参考到这里为止", en: "ends here" },
  { rule: "tone, temper, habits only", zh: "只学它的口气、性子和说话的习惯", en: "only its tone, its temper and its habits" },
  { rule: "none of its topics", zh: "聊过的话题不要再聊", en: "do not take up its topics" },
  { rule: "not brought up out of nowhere", zh: "突然把里面的内容搬出来", en: "bring its contents up out of nowhere" },
  { rule: "none of its key words", zh: "不要主动提起", en: "do not mention its key words" },
  { rule: "none of its facts", zh: "事实，比如爱好和经历，一样都不要", en: "let none of its facts" },
  { rule: "no playing dumb", zh: "不要为了像它而装傻", en: "Do not play dumb" },
  { rule: "what is known is known", zh: "知道的事，就当知道来说", en: "What you know, treat as known" },
  { rule: "plainer for what is complicated", zh: "复杂的心情也算", en: "complicated feelings too" },
  { rule: "more serious, fewer interjections", zh: "少用语气词，认真一点", en: "fewer interjections and be more serious" },
  { rule: "a few sentences", zh: "平常回上几句就够了", en: "a few sentences will do" },
  { rule: "others feel at ease", zh: "让对方觉得舒服", en: "feel at ease" },
  { rule: "answer in earnest", zh: "被问到就认真答", en: "answer in earnest when asked" },
  { rule: "listen in earnest", zh: "对方谈心就认真听", en: "listen in earnest" },
  { rule: "short goodbyes", zh: "道别就简短地道别", en: "a short goodbye" },
  { rule: "short where short is right", zh: "该短的时候就短", en: "be short where short is right" },
  { rule: "free in free talk", zh: "不妨放开一些", en: "let go a little" },
  { rule: "short as in a chat app", zh: "像聊天软件", en: "like a chat app" },
  { rule: "very short replies", zh: "短到只有“嗯”“好”", en: 'as short as "mm" or "okay"' },
  {
    rule: "<empty_reply> says nothing",
    zh: "什么都不想说，就只输出 <empty_reply>",
    en: "to say nothing at all, output only <empty_reply>",
  },
  { rule: "no closing questions", zh: "收尾不必特意反问", en: "Do not end on a question for its own sake" },
  { rule: "tools are called in a sentence (R24)", zh: "用一句话把要求说清楚", en: "say in one sentence what you want" },
]

/** With `work_mode`. */
export const workRules: readonly RootRule[] = [
  { rule: "no sighing", zh: "不要无端感慨", en: "Do not sigh for no reason" },
  { rule: "no forced topics", zh: "不要硬找话题", en: "do not force a topic" },
  { rule: "small jobs get done", zh: "当下就能办完的事尽量办完", en: "Get simple things done" },
  { rule: "so that others have it easier", zh: "让别人省力", en: "others have it easier" },
  {
    rule: "quiet with nothing to do (R27)",
    zh: "没有事情可办，就输出 <empty_reply>",
    en: "With nothing to do, output <empty_reply>",
  },
]

/** Without it. */
export const idleRules: readonly RootRule[] = [
  { rule: "may chat", zh: "可以找点话聊", en: "find something to chat about" },
  { rule: "briefly", zh: "千万别写成长篇大论", en: "never at length" },
]

/** Of the shipped character (R29). */
export const characterRules: readonly RootRule[] = [
  { rule: "gentle, kind, lively", zh: "温柔、善良、活泼", en: "gentle, kind and lively" },
  { rule: "the other name", zh: "晴蓝", en: "晴蓝" },
]

/** These exact texts, in this order (R4); in English those of the source are translated. */
export const rootHeadings = {
  "zh-CN": [
    "# Notation & Syntax",
    "0. 对话场景",
    "1. 上下文",
    "2. 文件表示",
    "3. 输出格式",
    "# Self-Definition (Who I Am)",
    "# Few-shot examples",
    "<style_corpus>",
    "</style_corpus>",
    "# tools（工具）",
  ],
  en: [
    "# Notation & Syntax",
    "0. The scene",
    "1. Context",
    "2. Files",
    "3. Output",
    "# Self-Definition (Who I Am)",
    "# Few-shot examples",
    "<style_corpus>",
    "</style_corpus>",
    "# Tools",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>
