import { authored, isSameList, Memo, memoKind } from "../../../core/memo.ts"
import { isText, type SlotEntry, type SlotValue } from "../../../core/value.ts"

type Entries = readonly SlotEntry[]

/** A list that only authors wrote, such as the tools of an agent. */
interface AuthoredList {
  readonly entries: Entries
  /** Holds the results that are the same in all sessions. */
  readonly memo: Memo
}

/** By first entry, the list that was noted last. */
const lists = memoKind<SlotEntry, AuthoredList>()

/** The list that was noted of the same entries; undefined if none was. */
export function authoredList(entries: Entries): AuthoredList | undefined {
  const known = entries[0] && authored.get(lists, entries[0])
  return known && isSameList(known.entries, entries) ? known : undefined
}

/** Notes a list of an author's injection that needs no cleaning, if authors wrote each text and it holds no lists. */
export function noteAuthored(entries: Entries): void {
  const [first] = entries
  const isAuthored = entries.every((entry) => !Object.values(entry).some(isOfOthers))
  if (first && isAuthored) authored.set(lists, first, { entries, memo: new Memo() })
}

function isOfOthers(value: SlotValue): boolean {
  return typeof value === "object" && !(isText(value) && value.trust === "author")
}
