import { nameWithId } from "../../../core/conversation.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { defined } from "../../../core/value.ts"
import type { Steps } from "../recall/documents/steps.ts"
import type { RecallFact } from "../recall/recall-query.ts"
import { normaliseText } from "../recall/text/document-terms.ts"
import type { MemoryFact, StoredMemory } from "../store/records.ts"
import { ownerOf, rowId } from "../store/rows/row-tables.ts"
import { normaliseMemoryText } from "./duplicates.ts"
import { knownRelation, relationWords } from "./fact-relation.ts"

import sentences from "./fact-sentences.json" with { type: "json" }

const maxCharacters = 200

/** The end of what a sentence tells: its end, or a word with which it goes on. */
const end = String.raw`(?=\s*(?:[.,!;。！，；~～]|$)|\s+(?:now|these days|nowadays|again|since|any ?more|any longer|for good|and|but|with|as|in|near|for|because|last|this|next|today|yesterday|instead)\b)`
const opening = String.raw`(?:^|[.!;。！；\n]\s*)(?:(?:well|so|oh|ok|okay|yes|yeah|and|btw|by the way|actually|now|currently|nowadays|these days|just so you know|guess what)[\s,:!]+)*`

const wordNames = /%(\w+)%/g
/** Puts the words of the table in place of their names, such as `%place%`. */
const written = (sentence: string): string =>
  sentence.replace(wordNames, (_, name: keyof typeof sentences.parts) => written(sentences.parts[name]))

const lastDot = /\.$/

/** The tables of sentences. One is compiled for the first text that has one of the words without which it has no such sentence. */
const tables = [
  tableOf(sentences.english, /\b(?:i|i'm|i've|my|we|we're|we've)\b/, (sentence) => `${opening}${sentence}${end}`),
  tableOf(sentences.englishNames, /\bcalls? me\b|\bmy nickname\b/, (sentence) => `${opening}${sentence}${end}`),
  tableOf(
    sentences.chinese,
    /我/,
    (sentence) => String.raw`(?:^|[.!;,。！，；\n\s])${sentence}(?=$|[\s.,!;。！，；~～]|了|啦|哦|呢|的)`,
  ),
]

/**
 * The sentences of a table, by relation: those in which people tell a fact of themselves of which there is one at a time, or that it is
 * over. In the name of a relation, `$1` is what the sentence captures first; a value in the group `named` must begin with a capital letter.
 */
function tableOf(facts: Readonly<Record<string, readonly string[]>>, own: RegExp, whole: (sentence: string) => string) {
  const all = () => Object.entries(facts).flatMap(([relation, told]) => told.map((sentence) => patternOf(relation, sentence)))
  const patternOf = (relation: string, sentence: string) => ({ relation, pattern: new RegExp(whole(written(sentence)), "u") })
  let made: ReturnType<typeof all> | undefined
  return { own, patterns: () => (made ??= all()) }
}

/** Words that make the rest no fact of now: it is denied, over, only wished for, or somebody else's words. */
const unsure =
  /\?|？|["“”「」]|\b(?:if|wish|used to|would|could|might|maybe|when i|imagine|pretend|dream(?:ed|t)?|as if|(?<!\b(?:i|i also|i still|i really|i just|i actually|don't|do not|longer|never|really|absolutely|stopped) )like|joking|kidding)\b|如果|要是|假如|以前|曾经|梦见|想象|假装|也许|可能|要不|就好了|吗|骗你|开玩笑/u

/** A lasting fact that a person tells of themselves. */
interface ToldFact {
  /** The relation of which there is one at a time, such as `home`. */
  readonly relation: string
  /** The words that may change, such as `madrid`, if the sentence says which those are. */
  readonly value: string | undefined
}

/** The words that go on with a sentence in which a fact was told, up to its end: with `I` before them, they may tell another. */
const goingOn = lazyPattern(
  String.raw`^[了啦]?\s*(?:[,，、]\s*)?(?:(?:and|but|then|并且|而且|还|也)(?:\s+|(?=\p{Script=Han})))*([^.!;。！；\n]+)`,
  "u",
)
const startsInHan = lazyPattern(String.raw`^\p{Script=Han}`, "u")
const hasSubject = /^(?:i|i'm|i've|we|we're|we've|my)\b|^我/u

/** Reads the lasting facts that a person tells of themselves, one of each relation. Only plain sentences are read, because a fact that is missed costs less than one that is wrong. */
export function toldFacts(text: string): readonly ToldFact[] {
  if (text.length > maxCharacters) return []
  const normal = normaliseText(text)
  const found = new Map<string, ToldFact>()
  if (tables.some(({ own }) => own.test(normal)) && !unsure.test(normal)) addFacts(normal, text, found)
  return [...found.values()]
}

/** Makes the patterns of sentences ready, in steps. The first time that all of them run takes some 20 ms, and next to nothing later. */
export function* readyPatterns(): Steps<void> {
  for (const { pattern } of tables.flatMap(({ patterns }) => patterns())) {
    // The first run of a pattern reads it, the second one makes machine code of it.
    for (let run = 0; run < 2; run++) pattern.test("i")
    // It is as much work as so many terms.
    yield 64
  }
}

function addFacts(normal: string, text: string, found: Map<string, ToldFact>): void {
  const spoken = tables.filter(({ own }) => own.test(normal))
  for (const { relation, pattern } of spoken.flatMap(({ patterns }) => patterns())) {
    const match = pattern.exec(normal)
    if (match === null) continue
    const { named, value = named } = match.groups ?? {}
    const [first = "", second = ""] = named ?? ""
    if (named && ![second, second.toUpperCase()].some((next) => text.includes(` ${first.toUpperCase()}${next}`))) continue
    const name = relation.replace("$1", match[1] ?? "").replace(lastDot, "")
    if (found.has(name)) continue
    found.set(name, { relation: name, value: value?.replace(lastDot, "") })
    const rest = goingOn().exec(normal.slice(match.index + match[0].length))?.[1]
    if (rest === undefined) continue
    const subject = hasSubject.test(rest) ? "" : startsInHan().test(rest) ? "我" : "i "
    addFacts(`${subject}${rest}`, text, found)
  }
}

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
