import pairs from "./simplified-chinese.json" with { type: "json" }

const traditional = /[\u4e00-\u9fa5]/g
/** By each traditional character its simplified one, from the characters that OpenCC's table (Apache 2.0) has in the basic block of Unicode. */
let simplifiedOf: ReadonlyMap<string, string> | undefined

/** The text with simplified in place of traditional characters, so that a text in one way of writing is found by a question in the other. Its length stays. */
export function simplified(text: string): string {
  simplifiedOf ??= readPairs()
  const known = simplifiedOf
  return text.replace(traditional, (character) => known.get(character) ?? character)
}

function readPairs(): Map<string, string> {
  const characters = Array.from(pairs.join(""))
  const found = new Map<string, string>()
  for (let at = 0; at + 1 < characters.length; at += 2) found.set(characters[at] ?? "", characters[at + 1] ?? "")
  return found
}
