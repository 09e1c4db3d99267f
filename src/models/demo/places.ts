import { placeIn } from "./strip.ts"
import { indexOfWord } from "./words.ts"

const maxPlaceCharacters = 40

/** Places a text asks about: `北京和上海的天气` → 北京, 上海; `weather in New York` → New York. `anchors` are words of what is asked. */
export function findPlaces(text: string, anchors: readonly string[]): readonly string[] {
  const named = /\p{Script=Han}/u.test(text) ? chinesePlaces(text, anchors) : englishPlaces(text, anchors)
  return named.filter((place) => place.length > 0 && place.length <= maxPlaceCharacters)
}

/** In Chinese the place stands right before what is asked of it, or after 在. */
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

/** In English it follows a preposition, or is capitalised before what is asked. */
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
