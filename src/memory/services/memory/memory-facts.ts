import { nameWithId } from "../../../core/conversation.ts"
import { defined } from "../../../core/value.ts"
import type { RecallFact } from "../recall/recall-query.ts"
import { normaliseText } from "../recall/text/document-terms.ts"
import type { MemoryFact, StoredMemory } from "../store/records.ts"
import { ownerOf, rowId } from "../store/row-keys.ts"
import { normaliseMemoryText } from "./duplicates.ts"
import { knownRelation, relationWords } from "./fact-relation.ts"
import { toldFacts } from "./told-fact.ts"

/** Facts whose value is another name of their subject. */
const aliasRelations = new Set(["name", "nickname"])
/** Words without which a text gives its speaker no name. */
const naming = /\b(?:calls? me|(?:nick)?name)\b|叫|名|号|称/i

/** False for a memory whose facts need not be read, because it gives its speaker no name. */
export const givesName = ({ keys, text }: StoredMemory): boolean => keys?.facts !== undefined || naming.test(text)

/** Names that a model gives the speaker of a line. */
export const selfNames = /^(?:i|me|myself|(?:the )?(?:user|speaker)|我|本人|用户|说话人)$/

/**
 * The facts that a memory tells, by its keys or else by its words. The name of one says who, and what of them: memories of one owner with
 * one name tell it at different times. `isSelf` tells if a name is the speaker's.
 */
export function factsOf(memory: StoredMemory, isSelf = (_name: string): boolean => false): readonly RecallFact[] {
  const { agent, keys, speaker } = memory
  const ownNames = [speaker.name, nameWithId(speaker)].map(normaliseMemoryText)
  return (keys?.facts ?? factsInWords(memory)).map(({ subject, relation, value }) => {
    const named = normaliseMemoryText(subject)
    const isOwn = ownNames.includes(named) || (speaker.id !== agent && (selfNames.test(named) || isSelf(subject)))
    const who = isOwn ? normaliseMemoryText(speaker.name) : named
    const known = knownRelation(relation) ?? normaliseMemoryText(relation)
    const words = [who, ...relationWords(known), ...(value === undefined ? [] : [value])]
    return {
      name: rowId(ownerOf(memory), who, known),
      words,
      value: value && normaliseText(value),
      alias: isOwn && aliasRelations.has(known) ? value : undefined,
    }
  })
}

function factsInWords({ keys, kind, text, speaker }: StoredMemory): readonly MemoryFact[] {
  const told = kind === "dialogue" ? toldFacts(text) : []
  if (keys?.relation === undefined) return told.map((fact) => defined({ ...fact, subject: speaker.name }))
  const { subject, relation } = keys
  return subject === undefined ? [] : [defined({ subject, relation, value: told[0]?.value })]
}
