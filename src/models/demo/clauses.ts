const joints = [
  ...["并且", "并", "然后", "接着", "顺便", "，再", "，", "；", "。", "？", "！", "\n"],
  ...[", and then ", " and then ", ", and ", " and ", ", then ", ", ", "; ", ". ", "? ", "! "],
]

/** More than this nobody asks at once; what follows belongs to the last one. */
const maxClauses = 12

/** The parts of a text that may each ask for something, as stretches that join to the text. */
export function clausesOf(text: string): readonly string[] {
  const clauses: string[] = []
  let from = 0
  for (let at = 0; at < text.length; ) {
    const joint = joints.find((word) => text.startsWith(word, at))
    if (joint !== undefined && at > from && clauses.length < maxClauses - 1) {
      clauses.push(text.slice(from, at + joint.length))
      from = at + joint.length
    }
    at += joint?.length ?? 1
  }
  return from < text.length ? [...clauses, text.slice(from)] : clauses
}
