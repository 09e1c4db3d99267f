import { isRecord, type Json, recordOf } from "../../../core/json-access.ts"

/** True for a memory book of Agnai, whose entries have `keywords` and their text in `entry`. */
export function isAgnaiBook({ kind, entries }: Json): boolean {
  return (kind === "memory" || kind === undefined) && hasEntries(entries, (entry) => "keywords" in entry && "entry" in entry)
}

/** True for a lorebook of NovelAI, whose entries have `keys` and their text in `text`. */
export function isNovelBook({ lorebookVersion, entries }: Json): boolean {
  return lorebookVersion !== undefined && hasEntries(entries, (entry) => "text" in entry)
}

function hasEntries(entries: unknown, isOwn: (entry: Json) => boolean): boolean {
  return Array.isArray(entries) && entries.some((entry: unknown) => isRecord(entry) && isOwn(entry))
}

/** A lorebook of Agnai or NovelAI in the form of a card's book; any other one as it is. Fields that neither knows stay in an entry. */
export function knownBook(book: Json): Json {
  if (isAgnaiBook(book)) return { ...book, entries: (book.entries as unknown[]).map((entry) => fromAgnai(recordOf(entry))) }
  if (isNovelBook(book)) return { ...book, entries: (book.entries as unknown[]).map((entry) => fromNovel(recordOf(entry))) }
  return book
}

function fromAgnai(entry: Json): Json {
  return { ...entry, keys: entry.keywords, content: entry.entry, insertion_order: entry.weight ?? 0 }
}

function fromNovel(entry: Json): Json {
  const { budgetPriority = 0 } = recordOf(entry.contextConfig)
  return {
    ...entry,
    id: entry.id,
    name: entry.displayName,
    content: entry.text,
    constant: entry.forceActivation,
    insertion_order: budgetPriority,
    priority: budgetPriority,
  }
}
