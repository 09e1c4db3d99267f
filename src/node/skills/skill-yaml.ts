import { PromptStrataError } from "../../core/errors.ts"
import { readYamlMapping, type YamlPlace } from "../front-matter.ts"

/** A key at the beginning of a line, and its lines up to the next one. */
type KeyBlock = { readonly key: string; readonly offset: number; readonly lines: readonly string[] }

/** A key and its colon. A space before the colon is allowed, as `name : value` is common too. */
const keyLine = /^([A-Za-z_][\w.-]{0,99})[ \t]*:(?:[ \t]|$)/

/**
 * Reads front matter that a YAML reader refuses, one key at a time. A key that is valid by itself keeps its meaning. The value of
 * any other key is plain text, as its author meant it in `description: Use when: …`. `undefined` for a text that does not begin
 * with a key, or has a key twice. A fault that is not about syntax throws.
 */
export function recoverYaml(yaml: string, place: YamlPlace) {
  const blocks = keyBlocks(yaml)
  if (blocks === undefined || new Set(blocks.map(({ key }) => key)).size < blocks.length) return undefined
  const recovered: string[] = []
  const attributes = Object.fromEntries(
    blocks.map((block): [string, unknown] => {
      const alone = readAlone(block, place)
      if (alone !== undefined) return [block.key, alone.value]
      recovered.push(block.key)
      return [block.key, plainValue(block.lines)]
    }),
  )
  return { attributes, recovered }
}

/** True for a fault of YAML's syntax, which {@link recoverYaml} may get past; false for bombs, tags and keys that stand twice. */
export function isSyntaxFault(error: unknown): boolean {
  if (!PromptStrataError.isInstance(error)) return false
  if (error.code !== "front-matter" || error.evidence.kind === "duplicate-key") return false
  return typeof Object(error.cause).code === "string"
}

function keyBlocks(yaml: string): readonly KeyBlock[] | undefined {
  const blocks: { key: string; offset: number; lines: string[] }[] = []
  let offset = 0
  for (const line of yaml.split("\n")) {
    const key = keyLine.exec(line)?.[1]
    if (key !== undefined) blocks.push({ key, offset, lines: [line] })
    else if (blocks.length > 0) blocks.at(-1)?.lines.push(line)
    else if (line.trim() !== "" && !line.startsWith("#")) return undefined
    offset += line.length + 1
  }
  return blocks.length === 0 ? undefined : blocks
}

/** The value of a key whose lines are valid YAML by themselves; `undefined` for any other. */
function readAlone({ key, offset, lines }: KeyBlock, place: YamlPlace): { readonly value: unknown } | undefined {
  try {
    const alone = readYamlMapping(lines.join("\n"), { ...place, offset: place.offset + offset })
    return { value: alone[key] }
  } catch (error) {
    if (isSyntaxFault(error)) return undefined
    throw error
  }
}

/** The value of lines that are not valid YAML: a block keeps its lines, `- ` begins an item, indented keys are a map, all else is one line of text. */
function plainValue([first = "", ...following]: readonly string[]): unknown {
  const rest = first.slice(first.indexOf(":") + 1).trim()
  const more = following.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))
  if (/^\|[-+\d]*$/.test(rest)) return more.join("\n")
  if (/^>[-+\d]*$/.test(rest)) return more.join(" ")
  if (rest === "" && more.length > 0) {
    if (more.every((line) => line.startsWith("- "))) return more.map((line) => unquoted(line.slice(2).trim()))
    if (more.every((line) => keyLine.test(line))) return Object.fromEntries(more.map(plainPair))
  }
  return unquoted([rest, ...more].join(" ").trim())
}

function plainPair(line: string): [string, string] {
  const colon = line.indexOf(":")
  return [line.slice(0, colon).trim(), unquoted(line.slice(colon + 1).trim())]
}

function unquoted(text: string): string {
  const quote = text[0]
  const isQuoted = text.length > 1 && (quote === '"' || quote === "'") && text.endsWith(quote)
  return isQuoted ? text.slice(1, -1) : text
}
