/** A planner output with what is to be made of it. */
export interface GeneratedOutput {
  readonly text: string
  /** What may be shown; `""` for a tool call. */
  readonly message: string
  readonly tool?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** For each UTF-16 unit of the message: where in `text` its encoding ends. */
  readonly encodedUntil: readonly number[]
  /** Where in `text` the decision's object begins and ends. */
  readonly objectAt: number
  readonly objectEnd: number
  /** Where in `text` the action's value ends. */
  readonly actionKnownAt: number
}

type Random = () => number

const words = [
  "你好",
  "主人，",
  "sunny ",
  "21 °C",
  " <b> ",
  "{x}",
  '"q"',
  "\\",
  "\n",
  "\t",
  "😀",
  "👩‍👩‍👧",
  "</think>",
  "`",
  " 1 < 2 ",
  "，。",
  "\u2028",
  "\0",
]
const thoughts = [
  "he asks {",
  '{"action":"finish","message":"NO"}',
  "<think> is a word",
  "```json\n",
  "我想想",
  '"',
  "}",
  "\\n",
  " < /",
]
const prose = ["好的，我来查：\n", "Sure! ", "1 < 2. ", "\n\n", "`code` ", "结果如下。", "a } b ", "'", '"quoted" ', "😀 "]
const decoys = [
  '{"city":"北京"}',
  "{}",
  "{x}",
  "{ }",
  "{{name}}",
  '{"a":{"action":"tool","tool":"NO","args":{}}}',
  '{"text":"{\\"action\\":\\"NO\\"}"}',
  "{ 或者",
  "{name: value}",
  "{'a': [1, 'b}']}",
  "{: ",
]

const pick = <T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T => list[Math.floor(random() * list.length)] as T
const several = (random: Random, list: readonly string[], most: number): string =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(random, list)).join("")

/** Thinking × fences × prose × key order × escapes × decoy objects; no part shares a word with the message. */
export function generateOutput(random: Random): GeneratedOutput {
  const thought = () => {
    const [open, close] = pick(random, [
      ["<think>", "</think>"],
      ["<THINK>", "</Think>"],
      ["<thinking>", "</thinking>"],
      ["<thought>", "</thought>"],
      ["<think>", "</thinking>"],
    ] as const)
    return `${open}${several(random, thoughts, 4)}${close}`
  }
  const orphan = random() < 0.1 ? `${several(random, ["never seen. ", "{x} ", "1 < 2 "], 3)}</think>` : ""
  const lead = Array.from({ length: Math.floor(random() * 4) }, () =>
    pick(random, [thought, () => several(random, prose, 2), () => `${pick(random, decoys)} `])(),
  ).join("")
  const fence = random() < 0.3 ? pick(random, ["```json\n", "```\n", "~~~~\n", "``` json\r\n"]) : ""
  const head = `${orphan}${lead}${fence === "" ? "" : `\n${fence}`}`
  const object = generateObject(random)
  const tail = `${fence === "" ? "" : `\n${fence.slice(0, fence.lastIndexOf(fence.charAt(0)) + 1)}`}${several(random, [...prose, ...decoys, '{"action":"finish","message":"NO"}'], 2)}`
  const shift = (at: number) => at + head.length
  return {
    ...object,
    text: head + object.text + tail,
    encodedUntil: object.encodedUntil.map(shift),
    objectAt: head.length,
    objectEnd: head.length + object.text.length,
    actionKnownAt: shift(object.actionKnownAt),
  }
}

function generateObject(random: Random): GeneratedOutput {
  const isTool = random() < 0.3
  const message = `m${several(random, words, 12)}`
  const args = {
    [pick(random, ["city", "text", "__proto__"])]: several(random, words, 4),
    n: Math.floor(random() * 100),
    deep: { action: "finish", message: "NO" },
  }
  const members: Record<string, string> = isTool
    ? { action: '"tool"', tool: '"query"', args: JSON.stringify(args) }
    : {
        action: '"finish"',
        message: "",
        ...(random() < 0.3 ? { note: '"NO"' } : {}),
        ...(random() < 0.3 ? { reason: '{"action":"tool"}' } : {}),
      }
  const order = Object.keys(members).map((key) => ({ key, rank: random() }))
  const encoded: number[] = []
  let actionKnownAt = 0
  let text = pick(random, ["{", "{ ", "{\n  "])
  for (const [index, { key }] of order.toSorted((a, b) => a.rank - b.rank).entries()) {
    if (index > 0) text += pick(random, [",", ", ", ",\n  "])
    text += `"${key}":${pick(random, ["", " "])}`
    if (key === "message") text = encode(text, message, random, encoded)
    else text += members[key]
    if (key === "action") actionKnownAt = text.length
    if (random() < 0.1) text += `,"${key}":"NO"`
  }
  text += pick(random, ["}", "\n}", " }"])
  const shown = isTool ? { message: "", tool: { name: "query", args } } : { message }
  return { text, ...shown, encodedUntil: isTool ? [] : encoded, actionKnownAt, objectAt: 0, objectEnd: text.length }
}

/** Appends a message as a JSON string in which each character is written in one of the ways it can be. */
function encode(before: string, message: string, random: Random, encodedUntil: number[]): string {
  let text = `${before}"`
  for (const character of message) {
    const way = random()
    const plain = JSON.stringify(character).slice(1, -1)
    const escaped = Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join("")
    const isControl = character === "\n" || character === "\t"
    text +=
      way < 0.2
        ? random() < 0.5
          ? escaped
          : escaped.toUpperCase().replaceAll("\\U", "\\u")
        : isControl && way < 0.4
          ? character
          : plain
    for (let unit = 0; unit < character.length; unit++) encodedUntil.push(text.length)
  }
  return `${text}"`
}
