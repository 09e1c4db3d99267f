import { existsSync, readFileSync } from "node:fs"
import type { RecallDocument } from "../../../src/memory/services/recall/recall-query.ts"
import { dataFolder, readJsonLines } from "../corpora.ts"
import type { RecallChat } from "./recall-chat.ts"

const folder = "recall/memorybank/"
/** True if the outside chats are there. */
export const memoryBankPresent = existsSync(dataFolder + folder)

interface Person {
  readonly name: string
  readonly history: Readonly<Record<string, readonly { readonly query: string; readonly response: string }[]>>
}

/**
 * The evidence of MemoryBank's probing questions, labelled by hand: a row for each person in the order of the file, a text for each
 * question. `04-30.3q` is the user's part of the exchange 3 (from 0) of that day, `r` the answer. All parts that commas separate are needed; of
 * those that `|` separates one is enough. Both languages tell the same.
 */
const evidence: readonly (readonly string[])[] = [
  ["04-30.3q", "05-01.0q", "05-03.2r", "04-28.1q", "04-30.2q", "05-02.1q", "05-04.1q"],
  ["04-27.2q", "04-28.8q", "04-29.1r", "05-05.1q|05-05.2q", "05-06.1q", "04-30.1q", "04-28.2r"],
  ["04-27.3q", "04-29.1q,04-29.2q", "04-28.1q", "04-30.1q", "05-03.0r", "05-02.1r", "04-28.1q"],
  ["04-28.1q", "04-27.4q", "05-03.1r", "05-01.1q", "04-27.2q|04-28.1q|05-01.2q", "04-30.1r", "05-04.0r"],
  ["04-28.2q", "04-29.3q", "04-28.2q", "04-27.4r", "05-01.1q", "05-02.3q", "05-04.1r"],
  ["05-06.1q", "05-06.3q", "04-27.2q,04-27.3q", "04-28.2r", "05-02.1q", "05-01.1q", "05-04.1q"],
  ["04-28.1q", "04-29.0q,04-29.1q", "04-28.2q", "04-30.0q", "05-05.0q", "05-04.0q", "05-06.0q"],
  ["04-27.1q|04-27.2q", "05-06.1q|05-06.2q", "05-02.0q", "04-28.2q", "04-27.3q", "05-05.0r", "05-02.0r"],
  ["04-27.1q", "04-30.0q", "04-30.1r", "05-04.1r", "05-06.1q", "04-28.2r", "05-02.0r"],
  ["04-28.2q", "05-04.0r", "05-05.1r", "05-04.1r", "05-02.0q,05-02.1q", "04-30.0r", "05-03.0r"],
  ["04-27.2r", "04-27.2r", "05-05.2q", "04-30.1q", "05-03.1q", "05-02.1r", "05-04.0q"],
  ["04-30.1r|04-30.5r", "04-30.2r|04-30.6r", "04-30.1q|04-30.5q,04-30.2q|04-30.6q", "05-02.1q", "04-28.1r,04-28.2r", "04-27.2q"],
  ["04-27.1q|04-27.2q", "04-27.2q", "04-30.1q", "04-29.1q", "05-04.1r"],
  ["04-28.2q", "04-30.1q,04-30.2q", "05-04.0q", "05-03.2r", "04-28.4q"],
  ["04-27.2q", "05-02.1q", "05-02.2q", "05-03.1r", "05-03.1r", "05-04.1r", "05-06.0q"],
]

/** The chats of fifteen people with a companion, over ten days each, with the questions of the set. */
export function memoryBank(language: "en" | "cn"): RecallChat[] {
  const file = `${dataFolder}${folder}memory_bank_${language}.json`
  const people = Object.values(JSON.parse(readFileSync(file, "utf8")) as Record<string, Person>)
  const asked = readJsonLines<Record<string, readonly string[]>>(`${folder}probing_questions_${language}.jsonl`)
  return people.map(({ name, history }, at) => {
    const id = `memorybank-${at}`
    const lines = Object.entries(history).flatMap(([day, exchanges]) =>
      exchanges.flatMap(({ query, response }, place) => [
        line(id, { day, place, of: "q", text: query, name: name.trim() }),
        line(id, { day, place, of: "r", text: response, name: "AI" }),
      ]),
    )
    const numbered = lines.map((each, turn) => ({ ...each, turn: turn >> 1 }))
    const known = new Set(lines.map((each) => each.id))
    const texts = Object.values(asked[at] ?? {})[0] ?? []
    const questions = texts.map((text, question) => {
      const groups = (evidence[at]?.[question] ?? "").split(",")
      return {
        kind: "which" as const,
        text: text.replace(/^"|"$/g, ""),
        evidence: groups
          .map((group) =>
            group
              .split("|")
              .map((part) => `${id}:${part}`)
              .filter((part) => known.has(part)),
          )
          .filter((group) => group.length > 0),
      }
    })
    return { id, lines: numbered, questions, nowMs: Date.UTC(2023, 4, 8), askedBy: "user", askedOf: "bot" }
  })
}

interface Part {
  readonly day: string
  readonly place: number
  readonly of: "q" | "r"
  readonly text: string
  readonly name: string
}

function line(chat: string, { day, place, of, text, name }: Part): RecallDocument {
  return {
    id: `${chat}:${day.slice(5)}.${place}${of}`,
    text,
    atMs: Date.parse(day) + 10 * 3_600_000 + place * 120_000 + (of === "q" ? 0 : 20_000),
    speaker: of === "q" ? { id: "user", name } : { id: "bot", name },
    session: chat,
    turn: 0,
    importance: 5,
  }
}
