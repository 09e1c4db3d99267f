/** One page of a list: raw, as the server sent it. */
type Page = Readonly<Record<string, unknown>>

/** What a list held, and why it was not read to its end, if it was not. */
export interface PagesRead {
  readonly items: readonly unknown[]
  readonly problem?: string
}

const maxPages = 100
const maxItems = 2_000

/** Reads a list page by page, until its end, a cursor that was there before, 100 pages or 2,000 items. Rejects as `fetchPage` does. */
export async function readPages(key: string, fetchPage: (cursor: string | undefined) => Promise<Page>): Promise<PagesRead> {
  const items: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await fetchPage(cursor)
    const found = page[key]
    if (!Array.isArray(found)) return { items, problem: `a page of its list holds no ${key}` }
    for (const item of found.slice(0, maxItems - items.length)) items.push(item)
    const { nextCursor } = page
    const isMore = found.length > 0 && items.length >= maxItems
    if (isMore) return { items, problem: `its list is cut after ${maxItems} ${key}` }
    if (typeof nextCursor !== "string") return { items }
    if (cursors.has(nextCursor)) return { items, problem: "the cursor of its list does not advance" }
    if (pages === maxPages) return { items, problem: `its list has more than ${maxPages} pages` }
    cursors.add(nextCursor)
    cursor = nextCursor
  }
}
