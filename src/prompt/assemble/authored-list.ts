import { authored, isSameList, memoKind } from "../../core/memo.ts"
import { isText, type SlotEntry, type SlotValue } from "../../core/value.ts"

type Entries = readonly SlotEntry[]

/** By first entry, the list that was noted last. */
const lists = memoKind<SlotEntry, Entries>()

/** The list that was noted of the same entries, the same object for all sessions; undefined if none was. */
export function authoredList(entries: Entries): Entries | undefined {
  const known = entries[0] && authored.get(lists, entries[0])
  return known && isSameList(known, entries) ? known : undefined
}

/** Notes a list of an author's injection that needs no cleaning, such as the tools of an agent, if authors wrote each text and it holds no lists. */
export function noteAuthored(entries: Entries): void {
  if (entries[0] && entries.every((entry) => !Object.values(entry).some(isOfOthers))) authored.set(lists, entries[0], entries)
}

function isOfOthers(value: SlotValue): boolean {
  return typeof value === "object" && !(isText(value) && value.trust === "author")
}
