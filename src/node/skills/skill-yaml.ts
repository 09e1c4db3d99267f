import { PromptStrataError } from "../../core/errors.ts"
import { readYamlMapping, type YamlPlace } from "../front-matter.ts"

/** Values by key: a text, or a mapping from keys to texts. */
type PlainMapping = Record<string, string | Record<string, string>>

const keyPattern = /^( {0,8})([A-Za-z][\w-]{0,99}):(?: (.*))?$/

/** A word or sentence that YAML reads unchanged. One that begins with a digit could be a number. */
const plainPattern = /^[A-Za-z\u4e00-\u9fff](?:[^:#\t\p{C}\p{Zl}\p{Zp}]|:(?=\S)|(?<=\S)#)*$/u

/** Words that YAML reads as another value than text. */
const reserved = /^(?:true|false|null)$/i

/**
 * Reads the simple YAML of most front matter, much faster than a YAML reader and with the same result: on each line a key and a
 * word, a sentence or a quoted text; below a key without a value, indented lines. `undefined` for any other YAML.
 */
export function readPlainYaml(yaml: string): PlainMapping | undefined {
  const mapping: PlainMapping = {}
  let inner: { readonly indent: number; readonly values: Record<string, string> } | undefined
  for (const line of yaml.split("\n")) {
    const [matched, { length: indent } = "", key = "", value] = keyPattern.exec(line) ?? []
    if (matched === undefined) return undefined
    if (indent === 0) {
      if (isEmptyMap(inner) || Object.hasOwn(mapping, key)) return undefined
      const text = value === undefined ? {} : textOf(value)
      if (text === undefined) return undefined
      mapping[key] = text
      inner = typeof text === "string" ? undefined : { indent: 0, values: text }
      continue
    }
    const text = value === undefined ? undefined : textOf(value)
    if (text === undefined || inner === undefined || Object.hasOwn(inner.values, key)) return undefined
    if (inner.indent !== 0 && inner.indent !== indent) return undefined
    inner.values[key] = text
    inner = { indent, values: inner.values }
  }
  return isEmptyMap(inner) ? undefined : mapping
}

/** True for a key with no value and no line below it: its value is null, which this reader leaves to the YAML reader. */
function isEmptyMap(inner: { readonly indent: number } | undefined): boolean {
  return inner?.indent === 0
}

function textOf(value: string): string | undefined {
  const quoted = /^"([^"\\\p{C}]*)"$/u.exec(value) ?? /^'([^'\p{C}]*)'$/u.exec(value)
  if (quoted) return quoted[1]
  const isPlain = plainPattern.test(value) && !reserved.test(value) && value === value.trimEnd()
  return isPlain ? value : undefined
}

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
