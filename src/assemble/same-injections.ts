import type { Source } from "../core/source.ts"
import { type Entry, type Fit, type Injection, isText, type Text, type Value } from "../core/value.ts"
import { removedFrom } from "../encode/marked-text.ts"
import { cutOf, noticeOf } from "./cut/notice.ts"

/** True when two lists of injections make the same prompt: equal values, whichever objects hold them. */
export function sameInjections(a: readonly Injection[], b: readonly Injection[]): boolean {
  return sameLists(a, b, sameInjection)
}

/** True when two injections make the same of a prompt. */
export function sameInjection(a: Injection, b: Injection): boolean {
  const isAlike = a.key === b.key && a.trust === b.trust && a.priority === b.priority && a.role === b.role && a.scope === b.scope
  return (
    isAlike &&
    a.enabled === b.enabled &&
    sameFit(a.fit, b.fit) &&
    sameSource(a.source, b.source) &&
    sameValue(a.content, b.content)
  )
}

function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object") return false
  if (isText(a)) return isText(b) && sameText(a, b)
  return !isText(b) && sameLists(a, b, sameEntry)
}

function sameText(a: Text, b: Text): boolean {
  const isSame = a.text === b.text && a.trust === b.trust && sameSource(a.source, b.source)
  return isSame && sameRemoved(a, b) && cutOf(a) === cutOf(b)
}

/** Encoded texts are known by identity; two of them are the same when the same was taken out of them. */
function sameRemoved(a: Text, b: Text): boolean {
  const [left, right] = [removedFrom(a), removedFrom(b)]
  if (left === right) return true
  return left?.removed === right?.removed && sameLists(left?.kinds ?? [], right?.kinds ?? [], Object.is)
}

function sameEntry(a: Entry, b: Entry): boolean {
  if (a === b) return true
  if (noticeOf(a) !== noticeOf(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [left, right] = [a[name], b[name]]
      return Object.hasOwn(b, name) && left !== undefined && right !== undefined && sameValue(left, right)
    })
  )
}

function sameFit(a: Fit | undefined, b: Fit | undefined): boolean {
  if (a === b) return true
  if (!a || !b) return false
  const isSame = a.rank === b.rank && a.shrink === b.shrink && a.group === b.group
  return (
    isSame && a.minTokens === b.minTokens && a.maxTokens === b.maxTokens && sameLists(a.scores ?? [], b.scores ?? [], Object.is)
  )
}

function sameSource(a: Source | undefined, b: Source | undefined): boolean {
  return a === b || (a?.file === b?.file && a?.line === b?.line && a?.column === b?.column)
}

/** True for two lists of as many items, each the same as the other's. */
export function sameLists<Item>(a: readonly Item[], b: readonly Item[], same: (a: Item, b: Item) => boolean): boolean {
  return a === b || (a.length === b.length && a.every((item, index) => item === b[index] || same(item, b[index] as Item)))
}
