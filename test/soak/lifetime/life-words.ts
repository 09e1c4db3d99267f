/** A whole number from 0, the same for the same text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

const words =
  "harbour lantern paper winter garden letter sister bicycle violin kettle window market bridge orchard thunder pocket captain blanket ginger river".split(
    " ",
  )

/** Some words of talk, other ones for other numbers. They hold the number, so that no two are equal. */
export function dialogueText(number: number, kind: string): string {
  const picked = Array.from({ length: 24 }, (_, at) => words[hashOf(`${number} ${at}`) % words.length])
  return `${picked.join(" ")}, ${kind} ${number}.`
}
