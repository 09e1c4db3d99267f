import { parse } from "smol-toml"
import { attempt } from "../core/errors.ts"

/** The place of a table, a key or an array's item, and of everything inside it. */
export interface TomlNode {
  /** The UTF-16 offset of the key's first mention, or of an item's value; for an item of `[[key]]`, that of its own header. */
  readonly offset: number
  readonly children: Map<string, TomlNode>
  readonly items: TomlNode[]
}

/**
 * Finds the place of everything in a TOML document, in time linear in its length: headers, dotted and quoted keys, inline
 * tables, arrays and arrays of tables. `text` is a document that smol-toml has accepted; in any other only a part is found.
 */
export function locateToml(text: string): TomlNode {
  const scanner: TomlScanner = { text, at: 0 }
  const root = nodeAt(0)
  let table = root
  for (skipVoid(scanner); scanner.at < text.length; skipVoid(scanner)) {
    const before = scanner.at
    if (text[scanner.at] === "[") table = readHeader(scanner, root)
    else readPair(scanner, table)
    if (scanner.at === before) break
  }
  return root
}

/** The offset of the key or item that `path` names; of the nearest part around it if the document does not have it. */
export function offsetOf(root: TomlNode, path: readonly PropertyKey[]): number {
  let node = root
  for (const key of path) {
    const next = typeof key === "number" ? node.items[key] : node.children.get(String(key))
    if (!next) break
    node = next
  }
  return node.offset
}

function nodeAt(offset: number): TomlNode {
  return { offset, children: new Map(), items: [] }
}

function readHeader(scanner: TomlScanner, root: TomlNode): TomlNode {
  const isItem = scanner.text.startsWith("[[", scanner.at)
  scanner.at += isItem ? 2 : 1
  const parts = readKey(scanner)
  while (scanner.text[scanner.at] === "]") scanner.at++
  const node = descend(root, parts)
  return isItem ? addItem(node, parts.at(-1)?.offset ?? 0) : (node.items.at(-1) ?? node)
}

/** The node at the end of a dotted key, made if it is new. Inside an array of tables it belongs to the last item. */
function descend(from: TomlNode, parts: readonly KeyPart[]): TomlNode {
  return parts.reduce((outer, { name, offset }) => {
    const table = outer.items.at(-1) ?? outer
    const node = table.children.get(name) ?? nodeAt(offset)
    table.children.set(name, node)
    return node
  }, from)
}

function readPair(scanner: TomlScanner, table: TomlNode): void {
  const node = descend(table, readKey(scanner))
  if (scanner.text[scanner.at] !== "=") return
  scanner.at++
  skipVoid(scanner)
  readValue(scanner, node)
}

function readValue(scanner: TomlScanner, node: TomlNode): void {
  const opening = scanner.text[scanner.at]
  if (opening === "[") readInside(scanner, "]", () => readValue(scanner, addItem(node, scanner.at)))
  else if (opening === "{") readInside(scanner, "}", () => readPair(scanner, node))
  else skipScalar(scanner)
}

function addItem(array: TomlNode, offset: number): TomlNode {
  const item = nodeAt(offset)
  array.items.push(item)
  return item
}

function readInside(scanner: TomlScanner, closing: string, readOne: () => void): void {
  scanner.at++
  for (skipVoid(scanner); scanner.at < scanner.text.length; skipVoid(scanner)) {
    const before = scanner.at
    if (scanner.text[scanner.at] === closing) {
      scanner.at++
      return
    }
    if (scanner.text[scanner.at] === ",") scanner.at++
    else readOne()
    if (scanner.at === before) return
  }
}

/** A position in a TOML text. The functions below move it forward. */
type TomlScanner = { readonly text: string; at: number }

/** One part of a dotted key, and the offset at which it begins. */
type KeyPart = { readonly name: string; readonly offset: number }

function skipVoid(scanner: TomlScanner): void {
  for (;;) {
    skipAny(scanner, " \t\r\n")
    if (scanner.text[scanner.at] !== "#") return
    scanner.at = endOfLine(scanner)
  }
}

/** Reads a key such as `a . "b".c` and ends before `=` or `]`. Empty if there is no key. */
function readKey(scanner: TomlScanner): KeyPart[] {
  const parts: KeyPart[] = []
  for (;;) {
    skipAny(scanner, " \t")
    const offset = scanner.at
    const name = isQuote(scanner.text[offset]) ? readQuoted(scanner) : readBare(scanner)
    if (scanner.at === offset) return parts
    parts.push({ name, offset })
    skipAny(scanner, " \t")
    if (scanner.text[scanner.at] !== ".") return parts
    scanner.at++
  }
}

/** Moves past a value that is neither an array nor an inline table. */
function skipScalar(scanner: TomlScanner): void {
  const { text, at } = scanner
  const quote = text[at]
  if (!isQuote(quote)) {
    while (scanner.at < text.length && !",]}#\n".includes(text[scanner.at] ?? "")) scanner.at++
  } else if (text.startsWith(quote.repeat(3), at)) {
    scanner.at += 3
    skipToClosing(scanner, quote.repeat(3))
    // A multi-line string may end in up to two quotes of its own.
    for (let extra = 0; extra < 2 && text[scanner.at] === quote; extra++) scanner.at++
  } else {
    scanner.at++
    skipToClosing(scanner, quote)
  }
}

function readBare(scanner: TomlScanner): string {
  const start = scanner.at
  while (/[A-Za-z0-9_-]/.test(scanner.text[scanner.at] ?? "")) scanner.at++
  return scanner.text.slice(start, scanner.at)
}

function readQuoted(scanner: TomlScanner): string {
  const start = scanner.at
  skipScalar(scanner)
  const raw = scanner.text.slice(start, scanner.at)
  return raw.includes("\\") && raw.startsWith('"') ? unescaped(raw) : raw.slice(1, -1)
}

function unescaped(quoted: string): string {
  // It throws only in a text that is no TOML, where any name will do.
  return attempt(() => String(parse(`key = ${quoted}`).key), quoted)
}

/** Moves past the next `closing`. Between double quotes a backslash escapes the character after it. */
function skipToClosing(scanner: TomlScanner, closing: string): void {
  const { text } = scanner
  const escapes = closing.startsWith('"')
  while (scanner.at < text.length && !text.startsWith(closing, scanner.at))
    scanner.at += escapes && text[scanner.at] === "\\" ? 2 : 1
  scanner.at = Math.min(text.length, scanner.at + closing.length)
}

function skipAny(scanner: TomlScanner, characters: string): void {
  while (scanner.at < scanner.text.length && characters.includes(scanner.text[scanner.at] ?? "")) scanner.at++
}

function endOfLine({ text, at }: TomlScanner): number {
  const end = text.indexOf("\n", at)
  return end < 0 ? text.length : end
}

function isQuote(character: string | undefined): character is '"' | "'" {
  return character === '"' || character === "'"
}
