import { parsedJson } from "../../core/json-access.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { fileRule, finding, type LintFile, type LintFileKind, type LintFinding, lintRule } from "../rule.ts"
import { bodyLines, columnAt } from "../text-positions.ts"

/** Personas in a form that another program reads. A model would get it as it stands. */
export const personaForm = lintRule(
  "persona-form",
  "A persona that is JSON, and macros of character cards, such as {{char}}, in texts that are printed as they are.",
  ({ files }) => files.filter(({ kind }) => printed.has(kind)).flatMap(foreignForm),
)

const printed: ReadonlySet<LintFileKind> = new Set(["persona", "character", "format", "final"])

function foreignForm(file: LintFile): LintFinding[] {
  const { kind, source } = file
  if (source === undefined) return []
  if (kind === "persona" && isJson(source.body)) {
    const hint =
      "Write who the character is as plain words. Of a character card, take description and personality; name and user belong to the front matter."
    return [finding(file.file, "expected words about the character, found JSON.", { line: source.firstLine, hint })]
  }
  return [...bodyLines(file)].flatMap(({ text, line }) => {
    const found = macro().exec(text)
    if (found === null) return []
    const column = columnAt(text, found.index)
    const message = `expected words, found the macro ${found[0]}: nothing fills it in, the model reads it as it stands.`
    const hint = 'Write the character\'s name for {{char}}, and "the user" or the name it calls them for {{user}}.'
    return [finding(file.file, message, { line, column, endColumn: column + [...found[0]].length, hint })]
  })
}

/** Placeholders for a date, a time or an id are left to the rule `volatile-value`. */
const macro = lazyPattern(
  String.raw`\{\{ ?(?!(?:current|today|date|time|now|uuid|random_?id))[a-z_]{1,40}(?:::?[^\{\}\n]{0,200})? ?\}\}`,
  "i",
)

function isJson(body: string): boolean {
  return /^\s*[[{]/.test(body) && typeof parsedJson(body) === "object"
}

/** Personas without a name, a personality, a tone or a form of address (T37). Only Chinese and English personas are checked. */
export const personaTraits = fileRule(
  "persona",
  "persona-traits",
  "A persona without a name, a personality, a tone or a form of address.",
  ({ file, source, locale }) => {
    if (source === undefined || (locale !== undefined && !/^(?:en|zh)/.test(locale)) || isJson(source.body)) return []
    const { attributes, body, firstLine } = source
    const lacking = [
      ...(typeof attributes.name === "string" || selfNaming().test(body) ? [] : ["a name"]),
      ...traits.filter(({ words }) => !words().test(body)).map(({ what }) => what),
      // The front matter can give the user's name too, which prompts show.
      ...(attributes.user !== undefined || addressWords().test(body) ? [] : ["a form of address (what it calls the user)"]),
    ]
    const messages =
      body.trim() === ""
        ? ["expected who the character is, found nothing."]
        : lacking.map((what) => `expected a persona to have ${what}, found none.`)
    const hint = "A character that lacks it sounds like any other assistant."
    return messages.map((message) => finding(file, message, { line: firstLine, hint }))
  },
)

/**
 * A sentence in which a character says who it is: "you are" and a name, which in English has a capital letter. "You are a system"
 * (你是一个系统) names nobody.
 */
const selfNaming = lazyPattern(
  String.raw`[你我]叫|名叫|名字|[你我]是(?!\s*(?:[一这那个位名只种款]|由|用户|主人|对方|系统|程序|工具|智能|专业|人工|语言|大?模型|聊天|机器人|助[手理]|AI))\S|\b(?:[Yy]ou are|[Yy]ou're|I am|I'm) (?!AI\b)\p{Lu}|\b(?:[Mm]y name|[Yy]our name|called|named)\b`,
  "u",
)

/**
 * Parts of a persona, with the words in which people write them in Chinese and English. The lists are wide: the rule does not
 * judge what is there, it only reports a part that is wholly absent.
 */
const traits: readonly { readonly what: string; readonly words: () => RegExp }[] = [
  {
    what: "a personality (what the character is like)",
    words: lazyPattern(
      String.raw`性格|个性|脾气|温柔|体贴|活泼|开朗|善良|冷静|沉稳|傲娇|热情|幽默|风趣|细心|耐心|害羞|勇敢|聪明|调皮|可爱|高冷|毒舌|慵懒|认真|严肃|严谨|乐观|内向|外向|好奇|真诚|直率|爽朗|腼腆|理性|感性|喜欢|讨厌|\b(?:personality|character|temper|gentle|kind|warm|calm|cheerful|curious|shy|witty|funny|humou?r|playful|patient|caring|thoughtful|attentive|brave|clever|serious|stern|sarcastic|friendly|honest|blunt|dry|optimistic|energetic|lazy|proud|loyal|stubborn|gruff|quiet|sweet|grumpy|nerdy|sassy|mischievous|empathetic|likes?|loves?|hates?|enjoys?)\b`,
      "i",
    ),
  },
  {
    what: "a tone (how it speaks)",
    words: lazyPattern(
      String.raw`语气|口吻|口头禅|说话|讲话|用词|措辞|语言|简短|简洁|亲切|轻松|随意|正式|聊天|回答|\b(?:tone|voice|speaks?|speech|talks?|says?|writes?|words?|sentences?|answers?|repl(?:y|ies)|accent|slang|formal|informal|casual(?:ly)?|brief(?:ly)?|short|warmly|politely|concise(?:ly)?|chat(?:s|ty)?)\b`,
      "i",
    ),
  },
]

const addressWords = lazyPattern(
  String.raw`称呼|称用户|称对方|叫用户|叫对方|叫他|叫她|叫我|喊|唤|尊称|昵称|\b(?:calls?|address(?:es|ed|ing)?|nicknames?|refers? to (?:the user|them|you|him|her)|by (?:their|his|her) (?:first )?name)\b`,
  "i",
)
