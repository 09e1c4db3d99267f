import { indexOfWord } from "./vocabulary.ts"
import words from "./words.json" with { type: "json" }

const maxPlaceCharacters = 40

/** Finds the places in a text: `北京和上海的天气` → 北京, 上海; `weather in New York` → New York. `anchors` are words for the subject. */
export function findPlaces(text: string, anchors: readonly string[]): readonly string[] {
  const named = /\p{Script=Han}/u.test(text) ? chinesePlaces(text, anchors) : englishPlaces(text, anchors)
  return named.filter((place) => place.length > 0 && place.length <= maxPlaceCharacters)
}

/** In Chinese the place comes right before the subject, or after 在. */
function chinesePlaces(text: string, anchors: readonly string[]): readonly string[] {
  for (const piece of text.split(/[，。！？；、,.!?;\n]/)) {
    const at = anchorIn(piece, anchors)
    if (at < 0) continue
    const before = placeIn(piece.slice(0, at))
    if (before !== "") return before.split(/和|跟|与|还有|以及/).map((place) => placeIn(place))
  }
  const after = /在(\p{Script=Han}{2,8}|[A-Za-z]{2,20})/u.exec(text)?.[1]
  return after === undefined ? [] : [placeIn(after)]
}

/** In English the place follows a preposition, or comes in capitals before the subject. */
function englishPlaces(text: string, anchors: readonly string[]): readonly string[] {
  const after = /\b(?:in|at|for|near|of|from) ((?:[\p{L}'-]{1,30}(?:, | and | )?){1,6})/u.exec(text)?.[1]
  if (after !== undefined) return after.split(/,| and /).map((place) => placeIn(place))
  const at = anchorIn(text.toLowerCase(), anchors)
  const before = at < 0 ? undefined : /((?:\p{Lu}[\p{L}'-]{1,30} ){1,3})$/u.exec(text.slice(0, at))?.[1]
  return before === undefined ? [] : [placeIn(before)]
}

function anchorIn(text: string, anchors: readonly string[]): number {
  return (
    anchors
      .map((word) => indexOfWord(text, word))
      .filter((at) => at >= 0)
      .sort((a, b) => a - b)[0] ?? -1
  )
}

/** Phrases to remove from both ends of a text. */
interface Affixes {
  readonly leading: readonly string[]
  readonly trailing: readonly string[]
  /** True if the last word stays even if it is one of these. */
  readonly keepsLast: boolean
}

const aroundPoint: Affixes = { leading: words.asking, trailing: words.closing, keepsLast: true }

// These single characters are left in a title, where they may be part of a word.
const aroundPlace: Affixes = {
  leading: [...words.asking, ..."查看在到去要再"],
  trailing: [...words.closing, "会不会", "会"],
  keepsLast: false,
}

const maxStrips = 30

/** The thing that a text asks to note or to look for: `提醒我去医院` → `去医院`. Empty only for a text without words. */
export function pointOf(text: string): string {
  return strip(text, aroundPoint)
}

/** The place in a part of a text: `帮我查一下北京的` → `北京`. Empty if there is none. */
function placeIn(text: string): string {
  return strip(text, aroundPlace)
}

function strip(text: string, around: Affixes): string {
  let rest = bare(text)
  for (let strips = 0; strips < maxStrips; strips++) {
    const shorter = stripOnce(rest, around)
    if (shorter === undefined || (shorter === "" && around.keepsLast)) break
    rest = shorter
  }
  return rest
}

function stripOnce(text: string, { leading, trailing }: Affixes): string | undefined {
  const lower = text.toLowerCase()
  const first = leading.find((phrase) => lower.startsWith(phrase) && isWhole(phrase, lower[phrase.length]))
  if (first !== undefined) return bare(text.slice(first.length))
  const last = trailing.find((phrase) => lower.endsWith(phrase) && isWhole(phrase, lower[lower.length - phrase.length - 1]))
  return last === undefined ? undefined : bare(text.slice(0, text.length - last.length))
}

/** True if a phrase of Latin letters does not end inside a word. */
function isWhole(phrase: string, next: string | undefined): boolean {
  return !/[a-z]/.test(phrase) || next === undefined || !/[\p{L}\d]/u.test(next)
}

function bare(text: string): string {
  return text.replace(/^[\s\p{P}]{1,100}/u, "").replace(/[\s\p{P}]{1,100}$/u, "")
}
