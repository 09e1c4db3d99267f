import { commonStart } from "../../../../core/memo.ts"

/** A beginning, and the end behind it. */
export type Range = readonly [start: number, end: number]

/** The most entries that may have come and gone. Time and memory grow with it. */
const maxEdits = 2_000

/**
 * Aligns two lists so that the most entries are equal (Myers' algorithm). The ranges of the runs, joined, are the lists. `isWhole` is
 * false if they differ in so much that the middle between their equal ends was not searched.
 */
export function align(a: readonly string[], b: readonly string[]) {
  const head = commonStart(a, b)
  const tail = commonStart(a.slice(head).reverse(), b.slice(head).reverse())
  const [endA, endB] = [a.length - tail, b.length - tail]
  const found = mirrored(a.slice(head, endA), b.slice(head, endB), (own, other) => equalPairs(...numbered(own, other)))
  const runs: { readonly isSame: boolean; readonly a: Range; readonly b: Range }[] = []
  let at: readonly [number, number] = [0, 0]
  const add = (isSame: boolean, to: readonly [number, number]): void => {
    if (to[0] > at[0] || to[1] > at[1]) runs.push({ isSame, a: [at[0], to[0]], b: [at[1], to[1]] })
    at = to
  }
  add(true, [head, head])
  for (const [from, to] of runsOf(found ?? [])) {
    add(false, [head + from[0], head + from[1]])
    add(true, [head + to[0], head + to[1]])
  }
  add(false, [endA, endB])
  add(true, [a.length, b.length])
  return { runs, isWhole: found !== undefined }
}

/** Numbers in place of texts: equal ones for equal texts. */
function numbered(a: readonly string[], b: readonly string[]): readonly [Int32Array, Int32Array] {
  const known = new Map<string, number>()
  const numberOf = (text: string): number => {
    const number = known.get(text) ?? known.size
    known.set(text, number)
    return number
  }
  return [Int32Array.from(a, numberOf), Int32Array.from(b, numberOf)]
}

/** An index of each list. */
export type Pair = readonly [a: number, b: number]

/** Finds pairs that do not depend on which list comes first: lists that change places have the same pairs. */
export function mirrored(
  a: readonly string[],
  b: readonly string[],
  find: (a: readonly string[], b: readonly string[]) => readonly Pair[] | undefined,
): readonly Pair[] | undefined {
  return isBefore(b, a) ? find(b, a)?.map(([other, own]) => [own, other] as const) : find(a, b)
}

function isBefore(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return a.length < b.length
  const at = a.findIndex((text, index) => text !== b[index])
  return at >= 0 && (a[at] ?? "") < (b[at] ?? "")
}

/** Joins pairs that follow each other to a beginning and an end. */
function runsOf(pairs: readonly Pair[]): (readonly [Pair, Pair])[] {
  const runs: [Pair, Pair][] = []
  for (const [a, b] of pairs) {
    const last = runs.at(-1)
    if (last && last[1][0] === a && last[1][1] === b) last[1] = [a + 1, b + 1]
    else
      runs.push([
        [a, b],
        [a + 1, b + 1],
      ])
  }
  return runs
}

/** A longest list of equal entries, as pairs of their indexes; undefined if there are too many others. */
function equalPairs(a: Int32Array, b: Int32Array): Pair[] | undefined {
  if (a.length === 0 || b.length === 0) return []
  const most = Math.min(a.length + b.length, maxEdits)
  const zero = most + 1
  // By the difference of the indexes, how far in `a` a number of edits leads.
  const furthest = new Int32Array(2 * most + 3)
  const before: Int32Array[] = []
  for (let edits = 0; edits <= most; edits++) {
    before.push(furthest.slice(zero - edits - 1, zero + edits + 2))
    for (let k = -edits; k <= edits; k += 2) {
      const [less, more] = [furthest[zero + k - 1] ?? 0, furthest[zero + k + 1] ?? 0]
      let x = k === -edits || (k !== edits && less < more) ? more : less + 1
      while (a[x] !== undefined && a[x] === b[x - k]) x++
      furthest[zero + k] = x
      if (x >= a.length && x - k >= b.length) return pairsOf(before, [a.length, b.length])
    }
  }
  return undefined
}

/** Walks the edits back to the beginning. */
function pairsOf(before: readonly Int32Array[], end: Pair): Pair[] {
  const pairs: Pair[] = []
  let [x, y] = end
  for (const [edits, furthest] of [...before.entries()].reverse()) {
    const k = x - y
    const [less, more] = [furthest[k + edits] ?? 0, furthest[k + edits + 2] ?? 0]
    const isDown = k === -edits || (k !== edits && less < more)
    const fromX = isDown ? more : less
    const fromY = fromX - (isDown ? k + 1 : k - 1)
    while (x > fromX && y > fromY) pairs.push([--x, --y])
    ;[x, y] = [fromX, fromY]
  }
  return pairs.reverse()
}
