import { type KeyPart, readKey, skipScalar, skipVoid, type TomlScanner } from "./toml-scanner.ts"

/** Where a table, a key or an array's item stands, with what is inside it. */
export interface TomlNode {
  /** UTF-16 offset of the key's first mention, or of an item's value; an item of `[[key]]` stands at its own header. */
  readonly offset: number
  readonly children: Map<string, TomlNode>
  readonly items: TomlNode[]
}

/**
 * Finds where everything in a TOML document stands, in time linear in its length: headers, dotted and quoted keys, inline
 * tables, arrays and arrays of tables. `text` is a document that smol-toml has accepted; of any other, a part is found.
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

/** The offset of what `path` names, or of the nearest part around it that stands in the document. */
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
  if (!isItem) return node.items.at(-1) ?? node
  const item = nodeAt(parts.at(-1)?.offset ?? 0)
  node.items.push(item)
  return item
}

/** The node at the end of a dotted key, made where it is new; inside an array of tables it belongs to the last item. */
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
  if (opening === "[") readInside(scanner, "]", () => readItem(scanner, node))
  else if (opening === "{") readInside(scanner, "}", () => readPair(scanner, node))
  else skipScalar(scanner)
}

function readItem(scanner: TomlScanner, array: TomlNode): void {
  const item = nodeAt(scanner.at)
  array.items.push(item)
  readValue(scanner, item)
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
