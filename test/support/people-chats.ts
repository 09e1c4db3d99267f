import { readdirSync, readFileSync } from "node:fs"
import type { RecallDocument } from "../../src/memory/services/recall/recall-query.ts"

export const chatLanguages = ["en", "zh"] as const
export const chatHalves = ["development", "held-out"] as const
export const chatKinds = ["fact", "paraphrase", "callback", "two-step", "time", "who", "none"] as const

/** A question that somebody may ask about a chat later. */
export interface ChatQuestion {
  readonly kind: (typeof chatKinds)[number]
  readonly text: string
  /** Every group is needed; of the lines of a group one is enough. None: the chat has no answer. */
  readonly evidence: readonly (readonly string[])[]
}

/** A chat in the manner of people, made up line by line. */
export interface PeopleChat {
  readonly name: string
  readonly lines: readonly RecallDocument[]
  readonly questions: readonly ChatQuestion[]
  /** A week after the last line. */
  readonly nowMs: number
}

const weekMs = 7 * 86_400_000
const folder = new URL("../bench/recall-data/", import.meta.url)
const rows = (url: URL) => readFileSync(url, "utf8").trimEnd().split("\n")

export function peopleChats(language: (typeof chatLanguages)[number], half: (typeof chatHalves)[number]): PeopleChat[] {
  const base = new URL(`${language}/${half}/`, folder)
  const names = readdirSync(base).flatMap((file) =>
    file.endsWith(".questions.tsv") ? [file.slice(0, -".questions.tsv".length)] : [],
  )
  return names.sort().map((name) => {
    const lines = rows(new URL(`${name}.tsv`, base)).map((row, turn) => lineOf(name, row, turn))
    const questions = rows(new URL(`${name}.questions.tsv`, base)).map((row) => questionOf(name, row))
    return { name, lines, questions, nowMs: (lines.at(-1)?.atMs ?? 0) + weekMs }
  })
}

function lineOf(chat: string, row: string, turn: number): RecallDocument {
  const [number = "", time = "", speaker = "", text = ""] = row.split("\t")
  return {
    id: `${chat}:${number}`,
    text,
    atMs: Date.parse(time),
    speaker: { id: speaker.toLowerCase(), name: speaker },
    session: chat,
    turn,
    importance: 5,
  }
}

function questionOf(chat: string, row: string): ChatQuestion {
  const [written = "", evidence = "", text = ""] = row.split("\t")
  const kind = chatKinds.find((known) => known === written)
  if (kind === undefined)
    throw new Error(`expected one of ${chatKinds.join(", ")} as the kind of a question of ${chat}, found ${row}`)
  const groups = evidence === "-" ? [] : evidence.split(",")
  return { kind, text, evidence: groups.map((group) => group.split("|").map((number) => `${chat}:${number}`)) }
}
