import type { Entry } from "../../core/value.ts"
import type { NoticeText } from "../../encode/marked-text.ts"

export { type CutText, cutOf, cutText, framedNotice, type NoticeText } from "../../encode/marked-text.ts"

const noticeEntries = new WeakMap<Entry, NoticeText>()

/** An entry that says how many entries were left out; printed in their place. */
export function noticeEntry(notice: NoticeText): Entry {
  const entry: Entry = { notice: notice.text }
  noticeEntries.set(entry, notice)
  return entry
}

/** The words of an entry made by {@link noticeEntry}; `undefined` for any other. */
export function noticeOf(entry: Entry): NoticeText | undefined {
  // Reading a value takes less than looking every entry up.
  return typeof entry.notice === "string" ? noticeEntries.get(entry) : undefined
}
