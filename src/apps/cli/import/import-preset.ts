import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { invariant } from "../../../core/errors.ts"
import { type Json, stringOf } from "../../../core/json-access.ts"
import { shippedPromptsFolder } from "../../../node/shipped-files.ts"
import { onOneLine } from "../../../prompt/encode/line-breaks.ts"
import { characterId } from "../commands/scaffold.ts"
import type { ImportedFiles, ImportSource } from "./imported-files.ts"
import { type Preset, type PresetPiece, readPreset } from "./preset.ts"
import { ownWords } from "./preset-words.ts"

/** A preset as a dialect of its own, and a profile that uses it: the files of `tavern`, with the order and the words of the preset. */
export function filesOfPreset(json: Json, { file, locale }: ImportSource): ImportedFiles {
  const shipped = join(shippedPromptsFolder, "tavern", locale)
  const sources = new Map(readdirSync(shipped).map((name) => [name, readFileSync(join(shipped, name), "utf8")]))
  const chat = sources.get("chat.md") ?? ""
  const blockOf = (slot: string) =>
    chat.match(new RegExp(`\\$\\{${slot.replace(".", "\\.")}\\?[\\s\\S]*?\\n\\}`))?.[0] ?? `\${${slot}}`
  const preset = readPreset(json, {
    personality: blockOf("character.personality"),
    scenario: blockOf("character.scenario"),
    examples: `\${lorebook.examples_top}\n\n${blockOf("character.examples")}\n\n\${lorebook.examples_bottom}`,
  })
  const id = characterId(stringOf(json.name), basename(file, extname(file)))
  // A shipped dialect of the same name would be changed for every profile of the project.
  const name = existsSync(join(shippedPromptsFolder, id)) ? `${id}-preset` : id
  const files = new Map<string, string>()
  const inFrame = (words: string) => framed(blockOf("character.post_history"), words)
  for (const [path, text] of sources)
    files.set(`prompts/${name}/${locale}/${path}`, text.includes("${role(system)}") ? withPieces(text, preset, inFrame) : text)
  if (preset.deep.length > 0) files.set(`prompts/${name}/${locale}/depth.md`, `${inFrame("${lorebook.depth}")}\n`)
  const entries = [...preset.deep.map(deepEntry), ...preset.drawn.map(drawnEntry)]
  if (entries.length > 0) files.set(loreFile(name), entries.join("\n"))
  files.set(`profiles/${name}.toml`, profileOf(preset, { name, locale }))
  return {
    name,
    what: `A preset of SillyTavern: it is the dialect ${name} now, with a profile that uses it. For a character, write its persona into the profile, or dialect = ${JSON.stringify(name)} into that of the character.`,
    files,
    report: [...new Set(preset.report)],
  }
}

/** A prompt file of `tavern` with the preset's parts in place of its own order. */
function withPieces(text: string, { before, after, deep, off, drawn }: Preset, inFrame: (words: string) => string): string {
  const places = /\$\{character\.system\?[\s\S]*\$\{lorebook\.examples_bottom\}/
  invariant(
    places.test(text),
    "a prompt of tavern has the places of a card between its system prompt and its lore below the examples",
  )
  const end = /\$\{character\.post_history\?[\s\S]*?\n\}/
  const own = end.exec(text)?.[0] ?? ""
  const behind = after
    .map(({ text: words }) => (words === ownWords("character.post_history") ? own : inFrame(words)))
    .join("\n\n")
  // A preset that has a place for a card's words behind the history has them there alone.
  const isPlaced = [...before, ...after].some(({ text: words }) => words.includes("${character.post_history"))
  const outlets = drawn.map((_, at) => `outlet.preset_${at + 1}`)
  const unfilled = ["character.post_history_before", "character.post_history_after", ...outlets]
  const optional = unfilled.filter((slot) => (beforeText(before) + behind).includes(`\${${slot}`))
  return text
    .replace(/^---\n/, (line) => (optional.length === 0 ? line : `${line}optional: [${optional.join(", ")}]\n`))
    .replace(/^omit: \[/m, (list) => (off.includes("persona") ? `${list}persona, ` : list))
    .replace(places, () => beforeText(before))
    .replace(/\$\{lorebook\.depth\?[\s\S]*?\n\}/, (block) =>
      deep.length === 0 ? block : `\${lorebook.depth?\n${inFrame("${lorebook.depth}")}\n}`,
    )
    .replace(end, (block) => [behind, isPlaced ? "" : block].filter((part) => part !== "").join("\n\n"))
}

/** Words in the frame of a branch that holds a slot alone. */
function framed(branch: string, words: string): string {
  const lines = branch.split("\n").slice(1, -1)
  return lines.map((line) => (line.startsWith("${") ? words : line)).join("\n")
}

function loreFile(name: string): string {
  return `lore/${name}.md`
}

/** Words at a depth of the history, as an entry of a lorebook that is always in. */
function deepEntry({ name, depth, role, text }: Preset["deep"][number], at: number): string {
  return `---\ntitle: ${JSON.stringify(onOneLine(name).slice(0, 60) || "prompt")}\nalways: true\npriority: ${at + 1}\ndepth: ${Math.min(10_000, Math.floor(depth))}\nrole: ${role}\n---\n${text}\n`
}

/** A macro that each turn fills in, as an entry of a lorebook that is always in. Its slot stands where the macro stood. */
function drawnEntry(macro: string, at: number): string {
  return `---\ntitle: preset_${at + 1}\nalways: true\nposition: outlet preset_${at + 1}\n---\n${macro}\n`
}

/** The parts before the history. One of another role opens a message of its own. */
function beforeText(pieces: readonly PresetPiece[]): string {
  let role: PresetPiece["role"] = "system"
  const texts = pieces.map((piece) => {
    const opens = piece.role === role ? "" : `\${role(${piece.role})}\n`
    role = piece.role
    return opens + piece.text
  })
  if (role !== "system") texts.push("${role(system)}")
  return texts.join("\n\n")
}

function profileOf(
  { before, after, deep, off, drawn, samplers }: Preset,
  look: { readonly name: string; readonly locale: string },
): string {
  const texts = [...before, ...after].map(({ text }) => text).join("\n")
  const table = (name: string, values: Readonly<Record<string, unknown>>): string => {
    const lines = Object.entries(values).filter(([, value]) => value !== undefined)
    return lines.length === 0 ? "" : `\n[${name}]\n${lines.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("")}`
  }
  const { temperature, maxOutputTokens, budgetTokens, body, some } = samplers
  const comments = Object.entries(some).map(([key, value]) => `# ${key} = ${value} # some servers refuse it\n`)
  const files = deep.length + drawn.length === 0 ? undefined : [`../${loreFile(look.name)}`]
  const places = /\$\{(?:lorebook|outlet)\./.test(texts) ? "card" : undefined
  const keys = off.filter((key) => key !== "persona")
  return [
    `# From a preset of SillyTavern. The prompt: npx promptstrata render ${look.name} --sections\n\nlocale = ${JSON.stringify(look.locale)}\n`,
    table("prompt", { folder: "../prompts", dialect: look.name }),
    `# persona = "./card.png" # a card, a file, or a name in prompts/characters\n`,
    table("loop", { mode: "chat" }),
    table("model", { temperature, max_output_tokens: maxOutputTokens }),
    table("model.extra_fields", body) || (comments.length > 0 ? "\n[model.extra_fields]\n" : ""),
    ...comments,
    table("budget", { tokens: budgetTokens }),
    table("lorebook", { files, place: places }),
    table("context", { off: keys.length === 0 ? undefined : keys }),
    texts.includes("${user_persona") ? '\n# [user]\n# description = "who the user is" # stands where the preset shows it\n' : "",
    table("history", { window: "steps" }),
    table("plugins", { enabled: ["memory"] }),
  ].join("")
}
