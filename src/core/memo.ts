/** One kind of result, such as the tokens of an entry: a number, with the types of its owners and results. */
export type MemoKind<Owner extends object, Result> = number & { readonly types?: (owner: Owner) => Result }

let kinds = 0

/** A new kind of result. The file that makes such results declares it. */
export function memoKind<Owner extends object, Result>(): MemoKind<Owner, Result> {
  return kinds++
}

/**
 * Remembers results by the object that they were made of, the last one of each kind. A result goes with its object, and all of them
 * go with the memo. Whoever holds the memo owns what is remembered: there is one for each session, so that no session disturbs
 * another, and nothing of a request is left when its session ends or forgets.
 */
export class Memo {
  /** By number of the kind. Weak, because objects such as the messages of a history are replaced by others all the time. */
  readonly #results: WeakMap<object, unknown>[] = []

  get<Owner extends object, Result>(kind: MemoKind<Owner, Result>, owner: Owner): Result | undefined {
    return this.#results[kind]?.get(owner) as Result | undefined
  }

  /** Remembers a result, and gives it back. */
  set<Owner extends object, Result>(kind: MemoKind<Owner, Result>, owner: Owner, result: Result): Result {
    // Weak, as the class says.
    this.#results[kind] ??= new WeakMap()
    this.#results[kind].set(owner, result)
    return result
  }

  /** The result that is remembered, else the one that `make` makes, which is remembered. */
  made<Owner extends object, Result extends {}>(
    kind: MemoKind<Owner, Result>,
    owner: Owner,
    make: (owner: Owner) => Result,
  ): Result {
    const known = this.get(kind, owner)
    return known === undefined ? this.set(kind, owner, make(owner)) : known
  }

  /** The list that is remembered if it has the same items as the one that is given, which is remembered otherwise. */
  sameList<Owner extends object, Item>(kind: MemoKind<Owner, readonly Item[]>, owner: Owner, list: readonly Item[]) {
    const known = this.get(kind, owner)
    return known && isSameList(known, list) ? known : this.set(kind, owner, list)
  }
}

/**
 * Tables that are derived from what authors wrote: prompt files, markers, tools, and tokenizers. They are the same for all sessions and
 * hold nothing of what anybody says in one.
 */
export const authored = new Memo()

/** The items of a list that grows, such as a conversation, and the result for each. */
export interface GrownList<Item, Made> {
  readonly items: Item[]
  readonly made: Made[]
}

/** A list without items. */
export function emptyList<Item, Made>(): GrownList<Item, Made> {
  return { items: [], made: [] }
}

/**
 * Gives the results by item. Only those of items that follow the common beginning with the list before are made; `make` gets an item
 * and the result of the item before. Items are readonly data and compared by identity. Read the results at once: the next call may
 * change them.
 */
export function grow<Item, Made>(
  known: GrownList<Item, Made>,
  items: readonly Item[],
  make: (item: Item, before: Made | undefined) => Made,
): readonly Made[] {
  const begun = commonStart(items, known.items)
  known.items.length = begun
  known.made.length = begun
  for (let index = begun; index < items.length; index++) {
    const item = items[index] as Item
    known.made.push(make(item, known.made[index - 1]))
    known.items.push(item)
  }
  return known.made
}

/** Results of lists that grow, as {@link grow} gives them. A memo knows each list by its first item. */
export function growIn<Item extends object, Made>(
  memo: Memo,
  kind: MemoKind<Item, GrownList<Item, Made>>,
  items: readonly Item[],
  make: (item: Item, before: Made | undefined) => Made,
): readonly Made[] {
  const [first] = items
  return first ? grow(memo.made(kind, first, emptyList<Item, Made>), items, make) : []
}

/** Counts the equal items with which two lists begin. */
export function commonStart<Item>(a: readonly Item[], b: readonly Item[]): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count++
  return count
}

/** True for lists of the same items. */
export function isSameList<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && commonStart(a, b) === a.length
}

/**
 * A bounded map of two generations. When the young generation is full, it becomes the old one, and the old one is forgotten.
 * An old value that is asked for becomes young again. The map holds at most twice the limits.
 */
export class Generations<Key, Value> {
  readonly #limits: { readonly entries: number; readonly weight: number }
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #weight = 0
  #oldWeight = 0

  constructor(limits: { readonly entries: number; readonly weight?: number }) {
    this.#limits = { weight: Number.POSITIVE_INFINITY, ...limits }
  }

  /** The weight of everything that it holds. */
  get weight(): number {
    return this.#weight + this.#oldWeight
  }

  /** Gives a value. `weight` counts against the limit if the value becomes young again. */
  get(key: Key, weight = 0): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old, weight)
    return old
  }

  /** The value under a key, else the one that `make` makes, which is kept. */
  made(key: Key, make: () => Value, weight = 0): Value {
    const known = this.get(key, weight)
    if (known !== undefined) return known
    const value = make()
    this.set(key, value, weight)
    return value
  }

  set(key: Key, value: Value, weight = 0): void {
    if (this.#young.size >= this.#limits.entries || this.#weight + weight > this.#limits.weight) {
      this.#old = this.#young
      this.#young = new Map()
      this.#oldWeight = this.#weight
      this.#weight = 0
    }
    this.#young.set(key, value)
    this.#weight += weight
  }
}

/** A map that holds so many entries at most: a new one takes the place of the one that was set longest ago. */
export class NewestMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number

  constructor(most: number) {
    super()
    this.#most = most
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (this.size > this.#most) this.delete(oldest as Key)
    return this
  }
}

const formats = new NewestMap<string, Intl.DateTimeFormat>(100)

/** A format of dates. Formats are kept, because making one takes a hundred times as long as using it. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options])
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  if (!formats.has(key)) formats.set(key, known)
  return known
}

/** A name as the database writes it. `Intl` has old names of some places, such as Asia/Calcutta and Europe/Kiev. */
const place = /^[A-Z][a-z]+\/[A-Z][a-z][A-Za-z_/-]*$/

/** No time zone has a longer name. */
const maxZoneLength = 64

/**
 * Returns the time zone of a name as the IANA database spells it. The name may be in any case, have spaces, or be an offset
 * such as `UTC+8` or `+05:30`. Returns `undefined` when no zone has it.
 */
export function findTimeZone(name: string): string | undefined {
  const wanted = name.trim().replaceAll(" ", "_")
  if (wanted.length > maxZoneLength) return undefined
  try {
    const [, sign, hours, minutes = "00"] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(wanted) ?? []
    const timeZone = hours === undefined ? wanted : `${sign}${hours.padStart(2, "0")}:${minutes}`
    const found = dateFormat("en", { timeZone }).resolvedOptions().timeZone
    return found.toLowerCase() !== wanted.toLowerCase() && place.test(wanted) ? wanted : found
  } catch {
    return undefined
  }
}

/** The time zone of the host, as its variable `TZ` names the place: `Intl` would give an old name. UTC if the host has no real one. */
export function hostTimeZone(): string {
  const named = globalThis.process?.env.TZ ?? ""
  return (place.test(named) && findTimeZone(named)) || new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC"
}
