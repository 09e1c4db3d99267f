import { PromptStrataError } from "../../../core/errors.ts"
import { isRecord, type Json, listOf, parsedJson, recordOf, stringOf } from "../../../core/json-access.ts"
import type { Source } from "../../../core/source.ts"

/** A message of a chat in SillyTavern's form. */
export interface TavernMessage {
  readonly name: string
  readonly isUser: boolean
  /** The message's swipes, each with its time. A message without swipes has one. */
  readonly swipes: readonly { readonly text: string; readonly atMs: number }[]
  /** The swipe that is shown. */
  readonly chosen: number
}

/** A chat in SillyTavern's form, and a sentence for each thing in it that was not taken or had to be guessed. */
export interface TavernChat {
  readonly userName: string
  readonly characterName: string
  readonly messages: readonly TavernMessage[]
  readonly report: readonly string[]
}

const takenFields: ReadonlySet<string> = new Set("name is_user is_system send_date mes swipes swipe_id swipe_info".split(" "))

/** True for the first line of a chat: its header, or a message in files that have none. */
export function isTavernHeader(line: unknown): boolean {
  return (
    isRecord(line) &&
    (typeof line.mes === "string" || "chat_metadata" in line || ("user_name" in line && "character_name" in line))
  )
}

/** Reads a chat. Throws `file` with the line for one that is no message. `nowMs` is the time of messages before the first that has one. */
export function readTavernChat(text: string, { file, nowMs }: { readonly file: string; readonly nowMs: number }): TavernChat {
  const lines = text.replace(/^\uFEFF/, "").split("\n")
  const rows = lines.flatMap((line, at) => (line.trim() === "" ? [] : [rowOf(line, { file, line: at + 1 })]))
  const [first] = rows
  if (first === undefined || !isTavernHeader(first.row))
    throw noChat({ file, line: 1 }, "a chat of SillyTavern, which begins with a header")
  const hasHeader = typeof first.row.mes !== "string"
  const tally = new Map<string, number>()
  const left = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1)
  if (hasHeader) for (const what of metadataIn(recordOf(first.row.chat_metadata))) left(what)
  let lastMs = rows.map(({ row }) => tavernDate(row.send_date)).find((ms) => ms !== undefined) ?? nowMs
  const messages: TavernMessage[] = []
  for (const { row, place } of hasHeader ? rows.slice(1) : rows) {
    if (typeof row.mes !== "string") throw noChat(place, "a message with its text in mes")
    const message = messageOf(row, lastMs, left)
    lastMs = message.swipes[message.chosen]?.atMs ?? lastMs
    if (row.is_system === true) left("hidden messages")
    else if (message.swipes.every(({ text: words }) => words.trim() === "")) left("messages without words")
    else messages.push(message)
  }
  return {
    userName: stringOf(first.row.user_name),
    characterName: stringOf(first.row.character_name),
    messages,
    report: [...tally].map(([what, count]) => (count === 1 ? what : `${what} (${count} times)`)),
  }
}

const roles = ["system", "user", "assistant"]
const noteFields = /^note_(?:prompt|depth|interval|role)$/

/** The fields of the header. An author's note is shown as a profile has it, because it belongs to no message. */
function metadataIn(metadata: Json): readonly string[] {
  const { note_prompt: text, note_depth: depth = 4, note_interval: interval = 1, note_role: role = 0 } = metadata
  const names = fieldNames(metadata).map((name) => `chat_metadata.${name}`)
  if (typeof text !== "string" || text.trim() === "") return names
  const settings = { text, depth, interval, role: roles[Number(role)] ?? "system" }
  const note = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  const others = names.filter((name) => !noteFields.test(name.slice("chat_metadata.".length)))
  return [`an author's note, which the profile can have as author_note = { ${note.join(", ")} }`, ...others]
}

function rowOf(line: string, place: Source): { readonly row: Json; readonly place: Source } {
  const row = parsedJson(line)
  if (!isRecord(row)) throw noChat(place, "a line with a JSON object")
  return { row, place }
}

function noChat(source: Source, expected: string): PromptStrataError {
  return new PromptStrataError("file", `expected ${expected}, found something else.`, { source, hint: "Nothing was imported." })
}

/** Reads a message. What is left out, and what is guessed, is said by `left`. */
function messageOf(row: Json, lastMs: number, left: (what: string) => void): TavernMessage {
  const { mes, is_user: isUser, send_date: date, swipe_id: chosenId } = row
  const infos = listOf(row.swipe_info).map(recordOf)
  for (const name of fieldNames(row)) if (!takenFields.has(name) && name !== "extra") left(name)
  for (const name of fieldNames(recordOf(row.extra))) left(`extra.${name}`)
  for (const name of new Set(infos.flatMap(fieldNames))) if (name !== "send_date" && name !== "extra") left(`swipe_info.${name}`)
  const read = tavernDate(date)
  if (read === undefined) left("a date that is not understood: the message has the time of the one before")
  const atMs = read ?? lastMs
  const texts = listOf(row.swipes).filter((swipe) => typeof swipe === "string")
  const isChosen = Number.isInteger(chosenId) && Number(chosenId) >= 0 && Number(chosenId) < texts.length
  const chosen = isChosen ? Number(chosenId) : Math.max(0, texts.lastIndexOf(String(mes)))
  // A message may have been edited after it was swiped.
  const all = texts.length === 0 ? [String(mes)] : texts.with(chosen, String(mes))
  const timed = all.map((text, at) => ({ text, atMs: at === chosen ? atMs : (tavernDate(infos[at]?.send_date) ?? atMs) }))
  const name = stringOf(row.name)
  const swipes = timed.filter(({ text }) => text.trim() !== "")
  for (let empty = swipes.length; swipes.length > 0 && empty < timed.length; empty++) left("swipes without words")
  if (swipes.length === 0) return { name, isUser: isUser === true, swipes: timed.slice(0, 1), chosen: 0 }
  return { name, isUser: isUser === true, swipes, chosen: Math.max(0, swipes.indexOf(timed[chosen] as (typeof timed)[number])) }
}

/** The names of fields that hold something. */
function fieldNames(record: Json): readonly string[] {
  return Object.entries(record).flatMap(([name, value]) => (isEmpty(value) ? [] : [name.slice(0, 60)]))
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true
  return typeof value === "object" && Object.keys(value).length === 0
}

/** Writes a chat as lines of JSON. */
export function writeTavernChat({ userName, characterName, messages }: Omit<TavernChat, "report">): string {
  const at = (ms: number): string => new Date(ms).toISOString()
  const first = messages[0]?.swipes[0]
  const header = {
    user_name: userName,
    character_name: characterName,
    create_date: first && at(first.atMs),
    chat_metadata: {},
  }
  const rows = messages.map(({ name, isUser, swipes, chosen }) => {
    const shown = swipes[chosen] ?? { text: "", atMs: 0 }
    const row = { name, is_user: isUser, is_system: false, send_date: at(shown.atMs), mes: shown.text, extra: {} }
    if (isUser) return row
    const infos = swipes.map(({ atMs }) => ({ send_date: at(atMs), extra: {} }))
    return { ...row, swipe_id: chosen, swipes: swipes.map(({ text }) => text), swipe_info: infos }
  })
  return [header, ...rows].map((row) => `${JSON.stringify(row)}\n`).join("")
}

/**
 * Reads a date as SillyTavern has written it over the years: milliseconds, ISO 8601, `2023-7-20 @02h 00m 51s 34ms` and
 * `July 20, 2023 2:00am`, the last two in local time. Undefined for anything else.
 */
export function tavernDate(date: unknown): number | undefined {
  if (typeof date === "number") return dateIn(date)
  if (typeof date !== "string" || date.length > 100) return undefined
  if (/^\d{9,16}$/.test(date)) return dateIn(Number(date))
  const [, year, month, day, hour, minute, second = "0", ms = "0"] =
    /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(?:(\d{1,2})s ?)?(?:(\d{1,3})ms)?$/.exec(date.trim()) ?? []
  if (year !== undefined)
    return dateIn(
      new Date(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second), Number(ms)).getTime(),
    )
  const [, named, half = ""] = /^([A-Za-z]+ \d{1,2}, \d{4} \d{1,2}:\d{2}) ?([ap]m)$/i.exec(date.trim()) ?? []
  if (named !== undefined) return dateIn(Date.parse(`${named} ${half}`))
  return /^\d{4}-\d{2}-\d{2}T/.test(date.trim()) ? dateIn(Date.parse(date.trim())) : undefined
}

/** A time that can be written as a date again. */
function dateIn(ms: number): number | undefined {
  return Number.isFinite(ms) && Math.abs(ms) <= 8_640_000_000_000_000 ? Math.trunc(ms) : undefined
}
