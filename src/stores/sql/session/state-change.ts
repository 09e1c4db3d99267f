/** How JSON came from what it was before, itself JSON: for a state that stays nearly the same it is short. */
export type Change = typeof same | readonly [typeof value, unknown] | readonly [typeof object, readonly Member[]] | ListChange

/** In their order; what was before and is not named is gone. */
type Member = readonly [name: string, change: Change]

type ListChange = readonly [typeof list, readonly ListPart[]]

/** Items that were there, from one position to before another; or new ones. */
type ListPart = readonly [from: number, end: number] | readonly [items: readonly unknown[]]

const same = 0
const value = 1
const object = 2
const list = 3

/** Deeper than a hook's own lists, things are small: they are written whole. */
const maxDepth = 5

/** What leads from `before` to `after`. Items of lists, and what lies deep, count as the same only if they are the very same things. */
export function changeOf(before: unknown, after: unknown, depth = 0): Change {
  if (Object.is(before, after)) return same
  if (depth >= maxDepth) return [value, after]
  if (Array.isArray(before) && Array.isArray(after)) return listChange(before, after)
  if (!isObject(before) || !isObject(after)) return [value, after]
  const members = Object.entries(after).map(
    ([name, item]): Member => [name, Object.hasOwn(before, name) ? changeOf(before[name], item, depth + 1) : [value, item]],
  )
  return [object, members]
}

function listChange(before: readonly unknown[], after: readonly unknown[]): ListChange {
  const positions = new Map<unknown, number>()
  for (const [at, item] of before.entries()) if (typeof item === "object" && item !== null) positions.set(item, at)
  const parts: ([number, number] | [unknown[]])[] = []
  for (const [at, item] of after.entries()) {
    const found = at < before.length && Object.is(before[at], item) ? at : positions.get(item)
    const last = parts.at(-1)
    if (found === undefined) {
      if (last?.length === 1) last[0].push(item)
      else parts.push([[item]])
    } else if (last?.length === 2 && last[1] === found) last[1] += 1
    else parts.push([found, found + 1])
  }
  return [list, parts]
}

/** What `before` became; shares what stayed the same with it. */
export function applyChange(before: unknown, change: Change): unknown {
  if (change === same) return before
  const [kind, content] = change
  if (kind === value) return content
  if (kind === list) return applyToList(before as readonly unknown[], content)
  const after: Record<string, unknown> = {}
  for (const [name, inner] of content) {
    const item = applyChange((before as Readonly<Record<string, unknown>>)[name], inner)
    // `__proto__` is a name like any other.
    Object.defineProperty(after, name, { value: item, enumerable: true, configurable: true, writable: true })
  }
  return after
}

function applyToList(before: readonly unknown[], parts: readonly ListPart[]): readonly unknown[] {
  return parts.flatMap((part) => (part.length === 1 ? part[0] : before.slice(part[0], part[1])))
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json)
}
