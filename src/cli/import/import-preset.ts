import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, extname, join } from "node:path"
import { invariant } from "../../core/errors.ts"
import { stringOf } from "../../core/json-access.ts"
import { shippedPromptsFolder } from "../../node/shipped-files.ts"
import { type CharacterLocale, characterId } from "../commands/scaffold.ts"
import type { ImportedFiles } from "./imported-files.ts"
import { type Preset, type PresetPiece, readPreset } from "./preset.ts"

interface PresetImport {
  readonly file: string
  readonly json: Readonly<Record<string, unknown>>
  readonly locale: CharacterLocale
}

/** A preset as a dialect of its own, and a profile that uses it: the files of `tavern`, with the order and the words of the preset. */
export function filesOfPreset({ file, json, locale }: PresetImport): ImportedFiles {
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
  for (const [path, text] of sources)
    files.set(`prompts/${name}/${locale}/${path}`, text.includes("${role(system)}") ? withPieces(text, preset) : text)
  files.set(`profiles/${name}.toml`, profileOf(preset, { name, locale }))
  return {
    name,
    what: `A preset of SillyTavern: it is the dialect ${name} now, with a profile that uses it. For a character, write its persona into the profile, or dialect = ${JSON.stringify(name)} into that of the character.`,
    files,
    report: preset.report,
  }
}

/** A prompt file of `tavern` with the preset's parts in place of its own order. */
function withPieces(text: string, { before, after }: Preset): string {
  const own = /\$\{lorebook\.before\}[\s\S]*\$\{lorebook\.examples_bottom\}/
  invariant(own.test(text), "a prompt of tavern has the places of a card between its lore before and below the examples")
  const behind = after.map(({ text: words }) => `[instructions]\n${words}\n[/instructions]\n\n`).join("")
  return text.replace(own, () => beforeText(before)).replace(/\$\{character\.post_history\?/, (slot) => `${behind}${slot}`)
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
  { before, after, off, temperature, maxOutputTokens, budgetTokens }: Preset,
  look: { readonly name: string; readonly locale: string },
): string {
  const usesName = [...before, ...after].some(({ text }) => text.includes("${user_name"))
  const table = (name: string, values: Readonly<Record<string, unknown>>): string => {
    const lines = Object.entries(values).filter(([, value]) => value !== undefined)
    return lines.length === 0 ? "" : `\n[${name}]\n${lines.map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("")}`
  }
  return [
    `# From a preset of SillyTavern. The prompt: npx promptstrata render ${look.name} --sections\n\nlocale = ${JSON.stringify(look.locale)}\n`,
    table("prompt", { folder: "../prompts", dialect: look.name }),
    `# persona = "./card.png" # a card, a file, or a name in prompts/characters\n`,
    table("loop", { mode: "chat" }),
    table("model", { temperature, max_output_tokens: maxOutputTokens }),
    table("budget", { tokens: budgetTokens }),
    table("context", { off: off.length === 0 ? undefined : off }),
    table("variables", { user_name: usesName ? (look.locale === "en" ? "User" : "用户") : undefined }),
    table("history", { window: "steps" }),
    table("plugins", { enabled: ["memory"] }),
  ].join("")
}
