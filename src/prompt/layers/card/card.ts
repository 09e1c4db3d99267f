import { isRecord, recordOf } from "../../../core/json-access.ts"
import type { Lorebook, LoreEntry } from "../lorebook/lorebook.ts"
import { readBook } from "./card-book.ts"
import { createFieldReader, type FieldReader } from "./field-reader.ts"

/** A picture or another file of a card: a path inside its file, a `data:` or `http` address, or `ccdefault:` (C12). */
export interface CardAsset {
  readonly type: string
  readonly name: string
  readonly uri: string
  readonly ext: string
}

/** A character card. Texts are as their author wrote them, macros included; absent ones are empty. */
export interface Card {
  /** The version of its specification. */
  readonly version: 1 | 2 | 3
  /** The whole card as it was read. Writing it loses nothing (C2). */
  readonly json: Readonly<Record<string, unknown>>
  readonly name: string
  /** The name that the character goes by: the nickname if it has one. */
  readonly shownName: string
  readonly description: string
  readonly personality: string
  readonly scenario: string
  /** The first message, then the alternatives. */
  readonly greetings: readonly string[]
  readonly groupGreetings: readonly string[]
  readonly exampleDialogues: string
  readonly systemPrompt: string
  readonly postHistory: string
  readonly creatorNotes: string
  /** The notes in other languages, by their ISO 639-1 code. */
  readonly notesByLanguage: Readonly<Record<string, string>>
  readonly creator: string
  readonly characterVersion: string
  readonly tags: readonly string[]
  readonly book: Lorebook | undefined
  /** The note that stands at a depth of the history in each turn (`extensions.depth_prompt`). */
  readonly note: LoreEntry | undefined
  readonly assets: readonly CardAsset[]
  /** Fields that were not as the specification has them, and how they were read. */
  readonly warnings: readonly string[]
}

/** Reads a card's JSON. The result is a message if it is no card. Wrong fields get stated defaults and a warning (C3). */
export function cardOf(json: unknown): Card | string {
  if (!isRecord(json)) return "expected the JSON object of a character card, found something else"
  const version = json.spec === "chara_card_v3" ? 3 : json.spec === "chara_card_v2" ? 2 : 1
  const isNested = isRecord(json.data)
  if (version === 1 && isNested && typeof json.spec === "string" && !json.spec.startsWith("chara_card"))
    return `expected spec chara_card_v2 or chara_card_v3, found ${JSON.stringify(json.spec.slice(0, 60))}`
  const data = isNested ? (json.data as Readonly<Record<string, unknown>>) : fromPygmalion(json)
  if (version > 1 && !isNested) return "expected the fields of the card in data, found none"
  if (data.name === undefined) return "expected a character card with a name, found none"
  const warnings: string[] = []
  return fieldsOf(json, { version, data, warnings, read: createFieldReader(data, warnings) })
}

/** The fields of a character of Pygmalion under the names of V1. */
function fromPygmalion(json: Card["json"]): Card["json"] {
  if (json.name !== undefined || json.char_name === undefined) return json
  const { char_name, char_persona, world_scenario, char_greeting, example_dialogue } = json
  const named = { name: char_name, description: char_persona, scenario: world_scenario, first_mes: char_greeting }
  return { ...named, mes_example: example_dialogue, ...json }
}

interface CardParts {
  readonly version: Card["version"]
  readonly data: Readonly<Record<string, unknown>>
  readonly warnings: string[]
  readonly read: FieldReader
}

function fieldsOf(json: Card["json"], { version, data, warnings, read }: CardParts): Card {
  const name = read.text("name").trim()
  const book = data.character_book === undefined || data.character_book === null ? undefined : data.character_book
  if (name === "") warnings.push("name: expected the character's name, found none.")
  if (typeof json.spec_version === "string" && Number.parseFloat(json.spec_version) > 3)
    warnings.push(
      `spec_version: the card follows ${JSON.stringify(json.spec_version.slice(0, 20))}, newer than 3.0; what is new in it is kept but not used.`,
    )
  return {
    version,
    json,
    name,
    shownName: read.text("nickname").trim() || name,
    description: read.text("description"),
    personality: read.text("personality"),
    scenario: read.text("scenario"),
    greetings: [read.text("first_mes"), ...read.texts("alternate_greetings")].filter((text) => text.trim() !== ""),
    groupGreetings: read.texts("group_only_greetings").filter((text) => text.trim() !== ""),
    exampleDialogues: read.text("mes_example"),
    systemPrompt: read.text("system_prompt"),
    postHistory: read.text("post_history_instructions"),
    creatorNotes: read.text("creator_notes"),
    notesByLanguage: Object.fromEntries(
      Object.entries(recordOf(data.creator_notes_multilingual)).flatMap(([code, notes]) =>
        typeof notes === "string" && notes.trim() !== "" ? [[code, notes]] : [],
      ),
    ),
    creator: read.text("creator"),
    characterVersion: read.text("character_version"),
    tags: read.texts("tags"),
    book: book === undefined ? undefined : readBook(book, { path: "character_book", warnings }),
    note: noteOf(recordOf(data.extensions).depth_prompt, warnings),
    assets: assetsOf(data.assets, warnings),
    warnings,
  }
}

/** The character's note of SillyTavern, which it writes into the extensions of a card, as an entry that is always in. */
function noteOf(given: unknown, warnings: string[]): LoreEntry | undefined {
  const read = createFieldReader(recordOf(given), warnings, "extensions.depth_prompt.")
  const text = read.text("prompt")
  if (text.trim() === "") return undefined
  const named = read.text("role")
  const role = named === "user" || named === "assistant" ? named : "system"
  const position = { at: "depth", depth: Math.max(0, read.number("depth") ?? 4), fromStart: false, role } as const
  return {
    id: "depth_prompt",
    title: "depth_prompt",
    keys: [],
    constant: true,
    order: 100,
    text: { text, trust: "tool" },
    position,
  }
}

function assetsOf(given: unknown, warnings: string[]): readonly CardAsset[] {
  if (given === undefined || given === null) return []
  if (!Array.isArray(given)) {
    warnings.push("assets: expected a list, found none; the card has no assets.")
    return []
  }
  return given.flatMap((item: unknown, at): CardAsset[] => {
    const read = createFieldReader(isRecord(item) ? item : {}, warnings, `assets[${at}].`)
    const asset = { type: read.text("type"), name: read.text("name"), uri: read.text("uri"), ext: read.text("ext") }
    return asset.uri === "" ? [] : [asset]
  })
}
