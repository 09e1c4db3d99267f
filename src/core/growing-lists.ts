/**
 * Remembers a result for each item of lists that grow, such as a conversation. For a list that begins like the last one with the
 * same first item, only the results of the new items are made. Items are readonly data and compared by identity. A list is
 * forgotten when its first item is collected.
 */
export class GrowingLists<Item extends object, Made> {
  readonly #lists = new WeakMap<Item, { readonly items: Item[]; readonly made: Made[] }>()

  /**
   * Gives the results by item. `make` gets an item and the result of the item before. Read the list at once: the next call may
   * change it.
   */
  of(items: readonly Item[], make: (item: Item, before: Made | undefined) => Made): readonly Made[] {
    const [first] = items
    if (!first) return []
    const before = this.#lists.get(first)
    const known = before ?? { items: [], made: [] }
    if (!before) this.#lists.set(first, known)
    const begun = commonStart(items, known.items)
    known.items.length = begun
    known.made.length = begun
    for (let index = begun; index < items.length; index++) {
      const item = items[index] ?? first
      known.made.push(make(item, known.made[index - 1]))
      known.items.push(item)
    }
    return known.made
  }
}

/** Counts the equal items with which two lists begin. */
export function commonStart<Item>(a: readonly Item[], b: readonly Item[]): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count++
  return count
}
