/** What is said for politeness: nothing but these words. */
const politeness = {
  greeting: [
    ...["你好呀", "你好啊", "你好", "您好", "嗨", "哈喽", "早上好", "上午好", "中午好", "下午好", "晚上好", "在吗", "早安"],
    ...["hello", "hi", "hey", "good morning", "good afternoon", "good evening", "greetings", "there"],
  ],
  thanks: ["谢谢你", "谢谢", "多谢", "感谢", "辛苦了", "thank you", "thanks", "thx", "so much", "very much", "a lot"],
} as const

/** `greeting` or `thanks` for a text of nothing else; an agent's name may follow. */
export function smallTalkOf(text: string): keyof typeof politeness | undefined {
  const bare = text
    .toLowerCase()
    .replace(/[\s\p{P}\p{S}]+/gu, " ")
    .trim()
  if (leaves(bare, politeness.greeting)) return "greeting"
  return leaves(bare, politeness.thanks) ? "thanks" : undefined
}

const maxNameCharacters = 12

/** True when the text begins with one of the words and at most a name is left after all of them. */
function leaves(text: string, words: readonly string[]): boolean {
  let rest = text
  for (;;) {
    const word = words.find((candidate) => rest.startsWith(candidate) && !/^[a-z]/.test(rest.slice(candidate.length)))
    if (word === undefined) break
    rest = rest.slice(word.length).trim()
  }
  return rest.length < text.length && (rest === "" || (rest.length <= maxNameCharacters && /^[a-z]+$/.test(rest)))
}
