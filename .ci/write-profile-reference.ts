// Writes docs/profile.md from the declaration of a profile's keys: every key with its type, default and meaning.
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { spelled } from "../src/profile/check-keys.ts"
import type { Key, Keys, ValueType } from "../src/profile/key.ts"
import { profileFileKeys } from "../src/profile/profile-file-keys.ts"

const target = fileURLToPath(new URL("../docs/profile.md", import.meta.url))

const head = `<!-- Generated from src/profile by .ci/write-profile-reference.ts. Do not edit: a test holds it equal. -->

# Profiles

A profile is a TOML file with everything that makes one agent. \`promptstrata chat ./bots/mei.toml\` talks to it, \`loadProfile("./bots/mei.toml")\`
loads it, \`promptstrata lint ./bots/mei.toml\` finds what is wrong with it. \`loadProfile("mei")\` looks for \`profiles/mei.toml\`, then among
the shipped profiles.

\`\`\`toml
#:schema ./profile.schema.json
extends = "layered"               # everything that is not said here
locale = "en"

[agent]
name = "Mei"

[prompt]
persona = "mei"                   # prompts/characters/en/mei.md beside this file
format = "emotion_pipe"           # a face for every sentence; another line here changes the face

[plugins]
enabled = ["memory", "./plugins/mood.mjs"]

[plugins.options.mood]
initial = "sleepy"

[skills]
folders = ["./skills"]

[skills.modes]
cooking = "inline"

[tools]
enabled = ["current_time", "calculate"]

[[prestart]]
tool = "current_time"

[budget]
tokens = 16000
\`\`\`

- Every key may be left out. An unknown key, a value of the wrong type and a number out of bounds are errors. An error gives the line, the
  column and what was expected.
- \`extends\` inherits: tables merge key by key, arrays are replaced.
- A path is relative to the file in which it stands, also when another profile extends that file.
- If the agent was made with \`watchProfile\`, an edit takes effect in the next session, without a restart.
- Editors complete and check keys with the JSON Schema. Write it with \`promptstrata schema > profile.schema.json\`, and put its path in a
  comment on the first line, as above.`

/** The page, whole. */
export function profileReference(): string {
  const entries = Object.entries(profileFileKeys.keys as Keys)
  const keys = entries.filter(([, { type }]) => tableIn(type) === undefined)
  const sections = entries.flatMap(([name, { type, words }]) => {
    const title = spelled(name, "file")
    const table = tableIn(type)
    if (table === undefined) return []
    const heading = type.kind === "list" ? `\`[[${title}]]\`` : `\`[${title}]\``
    return [section(heading, words, rowsOf(table.keys)), ...namedTables(title, table.keys)]
  })
  const top = section(
    "At the top",
    "Keys that stand before the first table.",
    keys.map(([name, key]) => row(name, key)),
  )
  return `${[head, top, ...sections].join("\n\n")}\n`
}

function section(title: string, meaning: string, rows: readonly string[]): string {
  return [`## ${title}`, "", meaning, "", "| key | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n")
}

/** The table that has a section of its own: that of a key, or of each item of its list. */
function tableIn(type: ValueType): Extract<ValueType, { kind: "table" }> | undefined {
  if (type.kind === "list") return tableIn(type.of)
  return type.kind === "table" ? type : undefined
}

/** Tables that a reader names, such as `[mcp.servers.NAME]`. */
function namedTables(name: string, keys: Keys): string[] {
  return Object.entries(keys).flatMap(([key, { type }]) =>
    type.kind === "map" && type.of.kind === "table"
      ? [section(`\`[${name}.${spelled(key, "file")}.NAME]\``, type.of.words, rowsOf(type.of.keys))]
      : [],
  )
}

function rowsOf(keys: Keys): string[] {
  return Object.entries(keys).map(([name, key]) => row(name, key))
}

/** A table of which each key is the reader's own is shown as one such key. */
function row(name: string, { type, words, presence, default: fallback, otherwise }: Key): string {
  const isOpen = type.kind === "map"
  const shown = spelled(name, "file")
  const fixed = fallback === undefined ? "" : `\`${JSON.stringify(fallback)}\``
  const cells = [
    `\`${isOpen ? `${shown}.NAME` : shown}\``,
    nameOf(isOpen ? type.of : type),
    presence === "required" ? "required" : (otherwise ?? fixed),
    words,
  ]
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
}

function nameOf(type: ValueType): string {
  switch (type.kind) {
    case "number":
      return numberName(type)
    case "flag":
      return "true or false"
    case "choice":
      return type.choices.map((choice) => `\`${JSON.stringify(choice)}\``).join(", ")
    case "text":
      return "string"
    case "scalar":
      return "string, number, true or false"
    case "list":
      return type.of.kind === "choice" ? `array of ${nameOf(type.of)}` : `array of ${nameOf(type.of)}s`
    default:
      return "table"
  }
}

function numberName({ integer, min, max }: Extract<ValueType, { kind: "number" }>): string {
  const kind = integer ? "whole number" : "number"
  return max === undefined ? `${kind}, at least ${min}` : `${kind}, ${min} to ${max}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(new URL("../docs/", import.meta.url), { recursive: true })
  writeFileSync(target, profileReference())
}
