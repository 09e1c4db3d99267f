/**
 * What was made of the items of lists that grow, such as a conversation's: of a list that begins like the last one with its
 * first item, only the rest is made. Items are readonly data, known by identity; it keeps no list whose first item is gone.
 */
export class GrowingLists<Item extends object, Made> {
  readonly #lists = new WeakMap<Item, { readonly items: Item[]; readonly made: Made[] }>()

  /**
   * By item, what `make` makes of it and of what was made of the one before; to be read at once, as the next call may change
   * the list.
   */
  of(items: readonly Item[], make: (item: Item, before: Made | undefined) => Made): readonly Made[] {
    const [first] = items
    if (!first) return []
    const known = this.#lists.get(first) ?? { items: [], made: [] }
    this.#lists.set(first, known)
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

/** How many items two lists begin with alike. */
export function commonStart<Item>(a: readonly Item[], b: readonly Item[]): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count++
  return count
}
