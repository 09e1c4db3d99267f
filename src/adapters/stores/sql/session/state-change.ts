import { isRecord } from "../../../../core/json-access.ts"
/** The difference between two JSON values, itself JSON. It is short when most of the value stays the same. */
export type Diff = typeof same | readonly [typeof value, unknown] | readonly [typeof object, readonly MemberDiff[]] | ListChange

/** A member of the object after the change, in its order. Members that are not listed are gone. */
type MemberDiff = readonly [name: string, change: Diff]

type ListChange = readonly [typeof list, readonly ListPart[]]

/** A range of the items before, or new items. */
type ListPart = readonly [from: number, end: number] | readonly [items: readonly unknown[]]

const same = 0
const value = 1
const object = 2
const list = 3

/** Values below this depth are small and written whole: a hook's own lists lie above it. */
const maxDepth = 5

/**
 * The change that leads from `before` to `after`. Items of lists and values below the depth limit count as the same only if they are
 * the same object.
 */
export function changeOf(before: unknown, after: unknown, depth = 0): Diff {
  if (Object.is(before, after)) return same
  if (depth >= maxDepth) return [value, after]
  if (Array.isArray(before) && Array.isArray(after)) return listChange(before, after)
  if (!isRecord(before) || !isRecord(after)) return [value, after]
  const members = Object.entries(after).map(
    ([name, item]): MemberDiff => [name, Object.hasOwn(before, name) ? changeOf(before[name], item, depth + 1) : [value, item]],
  )
  return [object, members]
}

function listChange(before: readonly unknown[], after: readonly unknown[]): ListChange {
  const positions = new Map<unknown, number>()
  for (const [at, item] of before.entries()) if (typeof item === "object" && item !== null) positions.set(item, at)
  const parts: ([number, number] | [unknown[]])[] = []
  for (const [at, item] of after.entries()) {
    const found = Object.is(before[at], item) ? at : positions.get(item)
    const last = parts.at(-1)
    if (found === undefined) {
      if (last?.length === 1) last[0].push(item)
      else parts.push([[item]])
    } else if (last?.length === 2 && last[1] === found) last[1] += 1
    else parts.push([found, found + 1])
  }
  return [list, parts]
}

/** Applies a change to the value before. The result shares all unchanged parts with it. */
export function applyChange(before: unknown, change: Diff): unknown {
  if (change === same) return before
  const [kind, content] = change
  if (kind === value) return content
  if (kind === list) {
    const items = before as readonly unknown[]
    return content.flatMap((part) => (part.length === 1 ? part[0] : items.slice(part[0], part[1])))
  }
  const after: Record<string, unknown> = {}
  for (const [name, inner] of content) {
    const item = applyChange((before as Readonly<Record<string, unknown>>)[name], inner)
    // An assignment to a member called `__proto__` would set the prototype.
    Object.defineProperty(after, name, { value: item, enumerable: true, configurable: true, writable: true })
  }
  return after
}
