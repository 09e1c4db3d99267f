import { lazyPattern } from "../../core/lazy-pattern.ts"

/**
 * The kinds of characters that {@link sanitise} finds. A `surrogate` without its other half is replaced by U+FFFD; the other
 * kinds are removed.
 */
type UnsafeKind = "tags" | "bidi" | "control" | "surrogate"

/** A text that is safe to send, and what was removed from it. */
interface SanitisedText {
  readonly text: string
  /** Characters (code points) removed or replaced. */
  readonly removed: number
  readonly kinds: readonly UnsafeKind[]
}

const unsafeSource = String.raw`[\u{e0000}-\u{e007f}\u{61c}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\p{Cs}[\p{Cc}--[\t\n\v\f\r\u{85}]]]`
const unsafe = lazyPattern(unsafeSource, "v")

/** Any unit that may be or begin something unsafe. Most texts have none, and this test takes a fifth of the time. */
const doubtful = lazyPattern(
  String.raw`[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]`,
  "",
)

/** A regional flag, the only place where tag characters are visible, or something unsafe. */
const flagOrUnsafe = lazyPattern(
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}|${unsafeSource}`,
  "gv",
)

/**
 * Removes characters that are invisible or act on a terminal: tag characters outside flags, bidi controls, C0 and C1
 * controls except tab and line breaks. Replaces lone surrogates, so that a request is valid UTF-8. Joiners and variation
 * selectors stay. Sanitising twice changes nothing more.
 */
export function sanitise(text: string): SanitisedText {
  if (!doubtful().test(text) || !unsafe().test(text)) return { text, removed: 0, kinds: [] }
  const kinds = new Set<UnsafeKind>()
  let removed = 0
  const clean = text.replace(flagOrUnsafe(), (found) => {
    const kind = kindOf(found)
    if (kind === undefined) return found
    removed++
    kinds.add(kind)
    return kind === "surrogate" ? "\u{fffd}" : ""
  })
  return { text: clean, removed, kinds: [...kinds] }
}

function kindOf(found: string): UnsafeKind | undefined {
  const code = found.codePointAt(0) ?? 0
  if (code === 0x1f3f4) return undefined
  if (code >= 0xe0000) return "tags"
  if (code < 0xa0) return "control"
  return code >= 0xd800 ? "surrogate" : "bidi"
}

/** Sanitises every string of a JSON value, keys too, as {@link mapTexts} does. */
export function sanitiseJson<T>(value: T): Omit<SanitisedText, "text"> & { readonly value: T } {
  let removed = 0
  const kinds = new Set<UnsafeKind>()
  const clean = mapTexts(value, (text) => {
    const found = sanitise(text)
    removed += found.removed
    for (const kind of found.kinds) kinds.add(kind)
    return found.text
  })
  return { value: clean, removed, kinds: [...kinds] }
}

/**
 * Changes every string of a JSON value, keys too. No key is lost when two become equal. Objects that are no plain JSON
 * stay as they are, and so do values more than 200 levels deep; when they are printed, the encoder escapes their strings.
 * Shared and circular values are walked once. Never throws.
 */
export function mapTexts<T>(value: T, ofText: (text: string) => string): T {
  const copies = new Map<object, unknown>()
  const ofValue = (node: unknown, depth: number): unknown => {
    if (typeof node === "string") return ofText(node)
    if (typeof node !== "object" || node === null || depth > maxDepth) return node
    if (copies.has(node)) return copies.get(node)
    try {
      if (Array.isArray(node)) {
        const list: unknown[] = []
        copies.set(node, list)
        for (const item of node) list.push(ofValue(item, depth + 1))
        return list
      }
      const prototype: unknown = Object.getPrototypeOf(node)
      if (prototype !== Object.prototype && prototype !== null) return node
      const record: Record<string, unknown> = Object.create(null)
      copies.set(node, record)
      for (const [key, item] of Object.entries(node)) {
        const changed = ofText(key)
        const isTaken = changed !== key && (Object.hasOwn(node, changed) || Object.hasOwn(record, changed))
        record[isTaken ? key : changed] = ofValue(item, depth + 1)
      }
      return record
    } catch {
      return node
    }
  }
  return ofValue(value, 0) as T
}

const maxDepth = 200

/** The tokens between `<` and `>` by which chat templates part messages. */
const inAngles = [
  // ChatML and its kin, Llama 3 and 4, DeepSeek, Cohere, Phi, Granite, gpt-oss, Kimi, Hunyuan; Gemma 4.
  String.raw`\/?[|｜][^|｜<>[\]\\\s]{1,40}(?:[|｜]\w{0,40})?`,
  String.raw`\w{1,40}[|｜]`,
  // Llama 2, Mistral, Cohere, T5, Reka, Yuan, InternLM, MOSS, BERT.
  String.raw`<\/?SYS>|\/?s|[be]os|pad|unk|cls|mask|(?:BOS|EOS|EOP|PAD|UNK|MASK)_TOKEN|sep|eo[acdhmpr]|[be]ot|sop`,
  // Gemma and its tools, MiniMax, StarCoder.
  String.raw`unused\d{1,4}|(?:image|audio)_soft_token|(?:start|end|beginning)_of_(?:turn|image|audio|sentence)|(?:start|end)_function_\w{1,20}|escape|fim_\w{1,20}|file_sep|repo_name`,
  // Calls and their results: Qwen, Hunyuan, GLM, Llama, MiniMax, OLMo, DeepSeek, LongCat, Nemotron; pictures of Qwen-VL and InternVL.
  String.raw`\/?(?:tools|functions|functioncall|function_(?:call|result)s?|toolcall|available_tools|arg_(?:key|value)|longcat_\w{1,30}|img|IMG_CONTEXT)`,
  String.raw`\/(?:function|parameter|invoke)|(?:function|parameter|invoke)[ =][^<>\n]{1,100}`,
  String.raw`\/?(?:minimax:)?tool_(?:call|response|result|output)s?(?:[ =][^<>\n]{1,100})?`,
  // Ling, Nemotron, Baichuan, Seed, ERNIE, TeleChat, MiniCPM.
  String.raw`\[[\w▁]{1,60}\]|\/?role|(?:extra_id|special|reserved)_\d{1,4}|seed:\w{1,40}|mask:\d`,
  "_(?:start|end|user|bot|system|observation)|用户|AI",
].join("|")

/** The tokens between brackets: Mistral, GLM, Kimi, Pangu, InternLM, BERT, Skywork. */
const inBrackets =
  "/?(?:SEP|CLS|PAD|UNK|MASK|USER|BOT|AUDIO|BEGIN_AUDIO|PREFIX|MIDDLE|SUFFIX|INST|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|SYSTEM_PROMPT|MODEL_SETTINGS|THINK|CALL_ID|ARGS|[gs]MASK|[BE]OS|EOT|IMG(?:_BREAK|_END)?|unused(?:_token_)?\\d{1,3})"

/**
 * The tokens by which chat templates of known model families part messages. A server that finds them in text would begin a
 * message. The others are those of EXAONE, MiniMax and Falcon.
 */
const token = new RegExp(
  String.raw`<\\*(?=(?:${inAngles})>)|\[\\*(?=\|[a-z]{1,40}\|\]|e~\[|${inBrackets}\])|\]\\*(?=~!?b[[\]]|<\]\w[\w ]{0,30}\[>\[)|>\\*(?=>[A-Z]{1,20}<<)`,
  "gi",
)
const maybeToken = /[<>[\]]\\*[|｜/<>a-z_~用]/i

/**
 * Breaks each token of a chat template: by default with a `\` after its first character. `breakAt` gets that character and every `\`
 * behind it, so that the step can be undone for every string.
 */
export function breakTokens(text: string, breakAt = (start: string): string => `${start}\\`): string {
  // Most texts have none of these characters, and this takes a hundredth of the pattern's time.
  if (!text.includes("<") && !text.includes("[") && !text.includes("]")) return text
  return maybeToken.test(text) ? text.replace(token, breakAt) : text
}
