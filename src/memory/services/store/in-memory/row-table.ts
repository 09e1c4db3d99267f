import { countWhile } from "../../../../core/binary-search.ts"
import type { Comparison, Selection } from "../rows/rows.ts"

/** A row, whatever its table. Rows are replaced and never changed. */
export type AnyRow = Readonly<Record<string, unknown>>

/** Conditions on the columns of any table. */
export type AnyConditions = Readonly<Record<string, unknown>>

/** Rows that share the values of some columns stand together, in the order of another column. */
interface Index {
  readonly by: readonly string[]
  readonly order: string
  readonly groups: Map<string, AnyRow[]>
}

/** The rows of a table in memory. The indexes are those that a turn needs; what is rare looks at every row. */
export class RowTable {
  readonly #key: readonly string[]
  readonly #indexes: readonly Index[]
  readonly #rows = new Map<string, AnyRow>()

  /** `indexes` are lists of columns; the last one is the order. */
  constructor(key: readonly string[], indexes: readonly (readonly string[])[] = []) {
    this.#key = key
    this.#indexes = indexes.map((columns) => ({ by: columns.slice(0, -1), order: columns.at(-1) ?? "", groups: new Map() }))
  }

  get size(): number {
    return this.#rows.size
  }

  /** The row with the key that another one or some conditions have. */
  like(row: AnyRow | AnyConditions): AnyRow | undefined {
    return this.#rows.get(idOf(row, this.#key))
  }

  /** Puts a row in the place of the one with its key, and returns that one. */
  set(row: AnyRow): AnyRow | undefined {
    const before = this.like(row)
    if (before !== undefined) this.remove(before)
    this.#rows.set(idOf(row, this.#key), row)
    for (const { by, order, groups } of this.#indexes) {
      const id = idOf(row, by)
      const group = groups.get(id)
      if (group === undefined) groups.set(id, [row])
      // Nearly every row comes behind all of its group.
      else if (compare(group.at(-1)?.[order], row[order]) <= 0) group.push(row)
      else group.splice(firstAt(group, order, row[order], true), 0, row)
    }
    return before
  }

  remove(row: AnyRow): void {
    this.#rows.delete(idOf(row, this.#key))
    for (const { by, order, groups } of this.#indexes) {
      const group = groups.get(idOf(row, by)) ?? []
      group.splice(group.indexOf(row, firstAt(group, order, row[order])), 1)
      if (group.length === 0) groups.delete(idOf(row, by))
    }
  }

  /** The rows that meet the conditions and the tests that are made of them, in the order of a selection. */
  find(
    conditions: AnyConditions,
    tests: readonly RowTest[],
    { order = [], isDescending = false, limit }: Selection<string>,
  ): AnyRow[] {
    const most = Math.max(0, limit ?? Number.POSITIVE_INFINITY)
    const named = this.#named(conditions)
    const index = named ? undefined : this.#indexOf(conditions, order[0])
    const rows = named ?? (index ? rowsFrom(index, conditions) : [...this.#rows.values()])
    const isInOrder = order.length === 0 || (order.length === 1 && index?.order === order[0])
    const found: AnyRow[] = []
    for (let at = 0; at < rows.length && !(isInOrder && found.length >= most); at++) {
      const row = rows[isDescending ? rows.length - 1 - at : at] as AnyRow
      if (meets(row, tests)) found.push(row)
    }
    return isInOrder ? found : sorted(found, order, isDescending).slice(0, most)
  }

  /** The rows whose keys the conditions name: with one value for each column, or with a list of values for one of them. */
  #named(conditions: AnyConditions): readonly AnyRow[] | undefined {
    let keys: AnyConditions[] = [conditions]
    for (const column of this.#key) {
      const given = conditions[column]
      if (given === undefined) return undefined
      if (!isComparison(given)) continue
      // Two columns with several values each would name more keys than there are rows.
      if (!("in" in given) || keys[0] !== conditions) return undefined
      keys = []
      for (const value of new Set(given.in)) keys.push({ ...conditions, [column]: value })
    }
    const rows: AnyRow[] = []
    for (const key of keys) {
      const row = this.like(key)
      if (row !== undefined) rows.push(row)
    }
    return rows
  }

  /** An index whose columns all have a value in the conditions; if there are several, the one with the order that is asked for. */
  #indexOf(conditions: AnyConditions, order: string | undefined): Index | undefined {
    let found: Index | undefined
    for (const index of this.#indexes) {
      let isFit = true
      for (const column of index.by) isFit &&= conditions[column] !== undefined && !isComparison(conditions[column])
      if (isFit && (found === undefined || (found.order !== order && index.order === order))) found = index
    }
    return found
  }
}

/** A condition that a row meets: its column has the value, or passes the check. */
export interface RowTest {
  readonly column: string
  readonly value: unknown
  readonly check: ((value: unknown) => boolean) | undefined
}

/** True for a row that meets all tests. */
export function meets(row: AnyRow, tests: readonly RowTest[]): boolean {
  for (const { column, value, check } of tests) if (check ? !check(row[column]) : row[column] !== value) return false
  return true
}

function idOf(row: AnyRow, columns: readonly string[]): string {
  const values: unknown[] = []
  for (const column of columns) values.push(row[column])
  return JSON.stringify(values)
}

export function isComparison(given: unknown): given is Comparison {
  return typeof given === "object" && given !== null
}

function rowsFrom({ by, order, groups }: Index, conditions: AnyConditions): readonly AnyRow[] {
  const group = groups.get(idOf(conditions, by)) ?? []
  const given = conditions[order]
  if (!isComparison(given)) return group
  if ("above" in given) return group.slice(firstAt(group, order, given.above, true))
  return "from" in given ? group.slice(firstAt(group, order, given.from)) : group
}

/** The first place in ordered rows whose column is not below a value, or with `isAfter` above it. */
function firstAt(rows: readonly AnyRow[], column: string, value: unknown, isAfter = false): number {
  return countWhile(rows.length, (at) => {
    const compared = compare(rows[at]?.[column], value)
    return compared < 0 || (isAfter && compared === 0)
  })
}

function sorted(rows: AnyRow[], order: readonly string[], isDescending: boolean): AnyRow[] {
  const sign = isDescending ? -1 : 1
  return rows.sort((a, b) => {
    for (const column of order) if (compare(a[column], b[column]) !== 0) return sign * compare(a[column], b[column])
    return 0
  })
}

/** Null stands before every value. */
function compare(a: unknown, b: unknown): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return (a as string | number) < (b as string | number) ? -1 : 1
}
