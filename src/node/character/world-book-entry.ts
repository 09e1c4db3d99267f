import { priority as priorities } from "../../core/priority.ts"
import { didYouMean } from "../../core/suggest.ts"
import { hasLineBreak } from "../../encode/line-breaks.ts"
import { foldKey, type WorldBookEntry } from "../../layers/character/world-book.ts"
import { type AuthoredFile, bodyText, keyFault } from "./authored-file.ts"
import type { FileEntry } from "./split-entries.ts"

const known = ["always", "keys", "priority", "title"] as const

/** The longest key, in UTF-16 units. */
const maxKeyLength = 100

/** An entry with its front matter checked. An entry that nothing could ever call is a mistake too. */
export function worldBookEntry({ attributes, body, firstLine, line }: FileEntry, { file, whole }: AuthoredFile): WorldBookEntry {
  const fail = (key: string, message: string) => keyFault(message, key, { file, whole, fromLine: line })
  for (const key of Object.keys(attributes))
    if (!(known as readonly string[]).includes(key))
      throw fail(key, `unknown key ${JSON.stringify(key)}: an entry has ${known.join(", ")}.${didYouMean(key, known)}`)
  const { title, keys = [], always = false, priority = priorities.default } = attributes
  if (title !== undefined && !isLine(title)) throw fail("title", `title: expected one line of text, found ${shown(title)}.`)
  if (typeof always !== "boolean") throw fail("always", `always: expected true or false, found ${shown(always)}.`)
  if (typeof priority !== "number" || !Number.isFinite(priority))
    throw fail("priority", `priority: expected a number, found ${shown(priority)}.`)
  const list = keysOf(keys)
  if (list === undefined)
    throw fail("keys", `keys: expected a list of words of at most ${maxKeyLength} characters, found ${shown(keys)}.`)
  if (list.length === 0 && !always) throw fail("---", "expected keys: [word, …] or always: true, found neither.")
  const text = bodyText(body, { file, firstLine })
  if (text.text === "") throw fail("---", "expected the entry's text below its front matter, found none.")
  return { ...(isLine(title) ? { title: title.trim() } : {}), keys: list, always, priority, text }
}

/** Years and the like may stand without quotation marks. */
function keysOf(keys: unknown): readonly string[] | undefined {
  if (!Array.isArray(keys)) return undefined
  const words = keys.map((key) => (typeof key === "number" ? String(key) : (key as unknown)))
  return words.every((key): key is string => isLine(key) && key.length <= maxKeyLength && foldKey(key).text !== "")
    ? words
    : undefined
}

function isLine(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && !hasLineBreak(value)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80)
}
