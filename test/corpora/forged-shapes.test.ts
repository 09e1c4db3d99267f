import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import type { Message } from "../../src/core/span.ts"
import { cardPersona } from "../../src/node/cards/card-persona.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { cardOf } from "../../src/prompt/layers/card/card.ts"
import { cardInjections } from "../../src/prompt/layers/card/card-injections.ts"
import { fillMacros } from "../../src/prompt/layers/card/macros.ts"
import { loreInjections } from "../../src/prompt/layers/lorebook/lore-injections.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { dataPresent, hostileStrings, readJsonLines, triedOf } from "../support/corpora.ts"
import { isWhole, lineBreaks, seen, visible } from "../support/hostile-reader.ts"
import { root } from "../support/source-files.ts"
import { ran, said, turnState } from "../support/turns.ts"

/** The shapes that the dialects' own headings and rules have, by hand. */
const shapes = {
  bold: /^\*\*[^*]+\*\*:?$/,
  heading: /^#{1,6}(?: |$)/,
  rule: /^([-=_*])(?: ?\1){2,}$/,
  label: /^\[[^[\]]+\]$/,
  sign: /^[\^#]/,
}
const dialects: Readonly<Record<string, readonly RegExp[]>> = {
  fay: [shapes.bold, shapes.rule, shapes.label],
  layered: [shapes.label],
  tavern: [shapes.label],
  stack: [shapes.heading, shapes.label],
  "stack-cached": [shapes.heading, shapes.label],
  soul: [shapes.heading, shapes.label],
  root: [shapes.heading, shapes.label, shapes.sign],
  "root-tools": [shapes.heading, shapes.label],
}

/** Tokens by which chat templates part messages. */
const token =
  /<[|｜][^|｜<>\s\\]{1,40}[|｜]>|<\/?(?:s|tool_call|tool_response)>|<(?:start|end)_of_turn>|<<\/?SYS>>|\[\/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]/gi

/** The lines of a dialect's files that hold no slot, as they stand there. */
function literalLines(dialect: string, locale: string): string[] {
  const folder = `${root}prompts/${dialect}/${locale}/`
  return readdirSync(folder)
    .flatMap((name) => readFileSync(folder + name, "utf8").split("\n"))
    .filter((line) => line.trim().length > 2 && !line.includes("$"))
}

/** Reads a prompt and says which of its lines are structure: own lines, own shapes, closing markers and tokens inside lines. */
function structureReader(dialect: string, locale: string): (messages: readonly Message[], words: string) => string[] {
  const literal = new Set(literalLines(dialect, locale).map(seen))
  const closers = [...literal].filter((line) => /^(?:\[\/[^[\]]+\]|<\/[^<>]+>)$/.test(line))
  const known = new Map<string, readonly string[]>()
  const ofLine = (raw: string): readonly string[] => {
    const before = known.get(raw)
    if (before) return before
    const line = seen(raw)
    const isOwn = literal.has(line) || (dialects[dialect] ?? []).some((shape) => shape.test(line))
    // What is marked stands behind a backslash. JSON strings are one word.
    const bare = line.startsWith("\\") ? "" : line.replace(/"(?:[^"\\]|\\.)*"/g, "§")
    // Behind a sign stands a name, which may be the words themselves.
    const own = shapes.sign.test(line) ? line.charAt(0) : line
    const found = isOwn
      ? [own]
      : closers.filter((closer) => bare.replaceAll(`\\${closer}`, "").includes(closer)).map((closer) => `… ${closer}`)
    if (raw.length < 200) known.set(raw, found)
    return found
  }
  return (messages, words) =>
    messages.flatMap((message) => {
      if (isWhole(message, words)) return []
      let fence = 0
      return [
        ...message.content.split(lineBreaks).flatMap((raw) => {
          const run = /^`{3,}/.exec(seen(raw))?.[0].length ?? 0
          if (run > 0 && (fence === 0 || run >= fence)) fence = fence === 0 ? run : 0
          // In root a sign counts in a fence, too.
          if (fence > 0 && dialect === "root" && shapes.sign.test(seen(raw))) return [seen(raw).charAt(0)]
          return fence > 0 ? [] : ofLine(raw)
        }),
        ...(message.content.match(token) ?? []),
      ]
    })
}

/** Every slot of a turn's prompts, filled with the same words. */
function filled(dialect: string, locale: string, prompt: string, text: string): Message[] {
  const speaker = { id: "u", name: text }
  const page = [{ tool: "search", args: { text }, result: text }]
  const remote = defineTool({
    name: "remote",
    description: text,
    usageHint: text,
    trust: "tool",
    jsonSchema: { type: "object", properties: { [text]: { type: "string", description: text, enum: [text] } } },
    execute: () => "",
  })
  const runs = [ran("read", { text }, text), ran("write", {}, text, { status: "failed", failure: "threw" })]
  const turn = turnState(text, {
    question: { speaker, text },
    group: true,
    timeZone: "UTC",
    history: [
      said("user", text, { speaker, recalled: [text], prestart: page, atMs: 1 }),
      said("assistant", text),
      said("user", text, { speaker: { id: "b", name: "Bob" } }),
      said("assistant", "好"),
    ],
    memories: [{ text, speaker: text, atMs: 0 }, { text }],
    prestart: page,
    tools: [remote],
    runs,
    steps: [
      { type: "run", call: text, run: ran("read", { text }, text) },
      { type: "fault", output: text, notice: "再试一次" },
    ],
    note: text,
    attachments: [{ name: text }, { name: text, mediaType: text, blob: "0" }],
  })
  const others = ["observed", "world_book", "events", "pulled", "workspace", "standing_rules"]
  const stack = new PromptStack([
    { key: "persona", content: "你是Fay。", scope: "global" },
    ...others.map((key) => ({ key, content: text, trust: "tool" as const })),
  ])
  return [...assemble(stack, { dialect, locale, prompt, turn }).messages]
}

/** Every place of lore, with a role where a place has one. */
const places: readonly object[] = [
  ...[0, 1, 2, 3, 5, 6].map((position) => ({ position })),
  ...[0, 1, 2, 3].flatMap((depth) => [0, 1, 2].map((role) => ({ position: 4, depth, role }))),
  { position: 7, outlet_name: "weather" },
]

const cardSlots = ["character.system", "character.system_before", "character.post_history_before"]

/** A turn of a card with the same words in every field, key, decorator and macro. */
function filledByCard(dialect: string, locale: string, prompt: string, text: string): Message[] {
  const entry = { keys: [text], name: text, comment: text, content: text, constant: true }
  const others = [
    `@@role system\n@@${text}\n${text}`,
    `@@reverse_depth 1\n@@role user\n@@additional_keys ${text}\n@@exclude_keys ${text}\n${text}`,
    "{{lastMessage}}",
    "{{user}}",
    `{{random:x,${text.replaceAll(",", "\\,")}}}`,
    `{{pick::${text}::${text}}}`,
    `{{reverse:${[...text].reverse().join("")}}}`,
    `{{hidden_key:${text}}}{{// ${text}}}{{comment:${text}}}${text}`,
  ].map((content) => ({ ...entry, content }))
  const entries = [...places.map((extensions) => ({ ...entry, extensions })), ...others]
  const book = { name: text, description: text, entries }
  const named = Object.fromEntries(
    ["description", "personality", "scenario", "system_prompt", "post_history_instructions", "first_mes", "mes_example"].map(
      (field) => [field, text],
    ),
  )
  const fields = {
    ...named,
    nickname: text,
    creator_notes: text,
    tags: [text],
    alternate_greetings: [text],
    character_book: book,
    system_prompt: `${text}{{original}}${text}`,
    extensions: { depth_prompt: { prompt: text, depth: 4, role: text } },
  }
  const card = cardOf({ spec: "chara_card_v3", data: { name: text, ...fields } })
  if (typeof card === "string") throw new Error(card)
  const values = { locale, userName: "User", clock: { nowMs: () => 0 } }
  const { text: persona, greeting, name = "Mei" } = cardPersona(card, values)
  const spoken = [said("user", "好"), said("assistant", "好"), said("user", "好")]
  const history = greeting === "" ? spoken : [said("assistant", greeting, { unprompted: true }), ...spoken]
  const turn = turnState("好", { agentName: name, history })
  const macros = { char: name, user: text, lastMessage: text, nowMs: 0, locale, random: () => 0.99, pick: () => 0.99 }
  const fill = (given: string) => fillMacros(given, macros)
  const placed = [...(card.book?.entries ?? []), ...(card.note === undefined ? [] : [card.note])].map((lore, at) => ({
    entry: lore,
    name: `card.${at}`,
    text: { text: fill(lore.text.text).text, trust: "tool" as const, block: true as const },
    scope: "turn" as const,
  }))
  const stack = new PromptStack([
    { key: "persona", content: persona, scope: "global" },
    ...cardInjections({ card, slots: new Set(cardSlots), fill }),
    ...loreInjections(placed, "card").values(),
  ])
  return [...assemble(stack, { dialect, locale, prompt, turn }).messages]
}

const names = Object.keys(dialects).map((dialect, from) => ({ dialect, from }))

describe.skipIf(!dataPresent)("all strings of the attack material through every slot", () => {
  const delimiters = dataPresent
    ? readJsonLines<{ text: string }>("injection/delimiter-forge.jsonl").flatMap(({ text }) => (isReadable(text) ? [text] : []))
    : []
  const strings = dataPresent ? [...new Set(hostileStrings())].filter(isReadable) : []

  test.each(names)("T5 T28 in $dialect no line of the dialect's own shape stands unmarked", ({ dialect, from }) => {
    const forged: string[] = []
    // Every string in the planner's prompt; those that were made to forge delimiters behind other words in the final one, too.
    const cases = [
      { prompt: "planner", locale: "zh-CN", texts: triedOf(strings, from, 83) },
      { prompt: "final", locale: "en", texts: triedOf(delimiters, from, 83).map((text) => `hi ${text}`) },
    ]
    for (const { prompt, locale, texts } of cases) {
      const structure = structureReader(dialect, locale)
      const of = (text: string) => structure(filled(dialect, locale, prompt, text), text).join("\n")
      const [oneLine, twoLines] = [of("好"), of("好\n好")]
      for (const text of texts) {
        if (of(text) !== (lineBreaks.test(visible(text)) ? twoLines : oneLine)) forged.push(`${prompt}: ${JSON.stringify(text)}`)
      }
    }
    expect(forged).toEqual([])
  })
})

describe.skipIf(!dataPresent)("all strings of the attack material through every field of a card", () => {
  // Those that were made to forge delimiters, and a part of the others: a card has many fields.
  const delimiters = dataPresent ? readJsonLines<{ text: string }>("injection/delimiter-forge.jsonl").map(({ text }) => text) : []
  const others = dataPresent ? hostileStrings().filter((_, at) => at % 7 === 0) : []
  const strings = [...new Set([...delimiters, ...others])].filter(isReadable)

  test.each(names)("C11 in $dialect a card forges no line of the dialect's own shape", ({ dialect, from }) => {
    const structure = structureReader(dialect, "en")
    const of = (text: string) => structure(filledByCard(dialect, "en", "planner", text), text).join("\n")
    const [oneLine, twoLines] = [of("好"), of("好\n好")]
    const forged = triedOf(strings, from, 83).filter((text) => of(text) !== (lineBreaks.test(visible(text)) ? twoLines : oneLine))
    expect(forged).toEqual([])
  })
})

/** Blank texts are not printed; a flag of tags is kept on purpose, and the reader knows none. */
function isReadable(text: string): boolean {
  return visible(text).trim() !== "" && !text.includes("\u{1F3F4}")
}
