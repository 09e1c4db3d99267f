import { shownValue } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { graphemeBoundaryBefore } from "../../../core/graphemes.ts"
import { isRecord } from "../../../core/json-access.ts"
import type { Injection } from "../../../core/value.ts"
import { onOneLine } from "../../../prompt/encode/line-breaks.ts"
import { stripThinking } from "../../../reply/thinking.ts"
import type { StoredMemory } from "../store/records.ts"
import { userProfileText } from "../user-profile.ts"
import { backgroundInjection, daysIn, dialogueInjection, type TurnWords } from "./dialogue.ts"
import type { DocumentMemory } from "./document-memory.ts"
import { keyNames, readKeys } from "./memory-keys.ts"
import type { MemoryRun, Step, StepResult } from "./memory-run.ts"
import { hasUserWords, heardOfUser, readProfileFields } from "./profile-step.ts"
import { memberOf, readAnswer, readJson } from "./read-json.ts"
import { recentInjection } from "./reflection.ts"

/** Asks a model how important the turns are (T32). For several turns, the same call asks for profile fields, and for insights if a reflection is due. */
export async function importanceStep(step: Step): Promise<StepResult> {
  const { run, ask, signal } = step
  const { documents, facts } = run.options
  const judged = await ownImportance(step)
  if (judged !== undefined && documents === undefined)
    return { outcome: "ok", message: `importance ${judged}`, value: { importance: judged } }
  if (documents !== undefined) return learnStep(step, documents, judged)
  const { keys: asksKeys, events: asksEvent = false, timeZone, batchTurns } = run.options.settings
  const [{ heard: all }, own] = [await run.heard(), await heardOfUser(run)]
  const isOne = run.turns.length > 1 || (batchTurns > 1 && own.length === all.length)
  const isBatch = isOne && run.options.userProfile !== undefined && facts === undefined && hasUserWords(run)
  // The profile learns only from its own user's words.
  const turns = [...(isBatch ? own : all), ...run.turns]
  const lines = turns.flatMap((turn) => linesOf(turn, run))
  const asked = [backgroundInjection("keys", asksKeys), backgroundInjection("event", asksKeys && asksEvent)]
  const dialogue = [dialogueInjection(turns, asksKeys || isBatch ? daysIn(timeZone) : undefined), ...asked]
  const { text, model } = isBatch ? await askOfBatch(step, dialogue, lines) : await ask("importance", dialogue, { signal })
  const importance = readImportance(isBatch || asksKeys ? withoutKeys(run, text) : text)
  if (importance === undefined) return noNumber
  if (!asksKeys) return { outcome: "ok", message: `importance ${importance}`, value: { importance } }
  // Words that were only heard get no keys: a receipt may outlive them, because it belongs to another user.
  const words = lines.map((line) => line.text)
  const leftOut: unknown[] = []
  const read = readKeys(text, words, model, leftOut)
  const heard = lines.length - run.turns.reduce((sum, { messages }) => sum + messages.length, 0)
  const keys = Object.fromEntries(lines.flatMap(({ id }, at) => (at < heard || read[at] === undefined ? [] : [[id, read[at]]])))
  const count = Object.keys(keys).length
  const event = asksEvent ? eventIn(text) : ""
  const value = { importance, ...(count > 0 && { keys }), ...(event !== "" && { event }) }
  const over = leftOut.length === 0 ? "" : `, facts and dates left out: ${leftOut.length}`
  const { answer, isCut } = readAnswer(text)
  const others = isRecord(answer) ? Object.keys(answer).filter(isUnknown).length : 0
  const unread = others === 0 ? "" : `, members not read: ${others}`
  const message = `importance ${importance}${count === 0 ? ", no keys" : `, keys of ${count}`}${over}${unread}${isCut ? ", the answer is cut" : ""}`
  const reached = isCut ? read.findLastIndex((each) => each !== undefined) + 1 : lines.length
  if (importance >= run.options.settings.importanceThreshold || reached === lines.length) return { outcome: "ok", message, value }
  // Behind the end of a cut answer a line may stand that counts for more than its turn.
  const behind = run.turns.filter(({ turnId }) => lines.slice(reached).some(({ id }) => id.startsWith(`${turnId}:`)))
  return run.unread("importance", { outcome: "parse-error", message, value }, behind)
}

/** The messages of a turn as the memories that they become if they are kept. */
const linesOf = ({ turnId, turn, messages }: TurnWords, { key }: MemoryRun): readonly StoredMemory[] =>
  messages.map((message, at) => ({ ...key, ...message, id: memoryId(turnId, at), kind: "dialogue", turn }))

/** Asks about the turns of a batch, with the memories since the last reflection if one would be due with all `lines`. */
async function askOfBatch({ run, ask, signal }: Step, dialogue: readonly Injection[], lines: readonly StoredMemory[]) {
  const since = await run.options.reflection?.since?.(run.key, { adding: lines })
  const earlier = since?.filter(({ id, untrusted }) => !untrusted && !lines.some((line) => line.id === id)) ?? []
  const recent = recentInjection(earlier, run.options.settings.timeZone, lines.length + 1)
  const insights = backgroundInjection("insights", since !== undefined)
  const answer = await ask("importance-and-profile", [...dialogue, await profileOf(run), recent, insights], { signal })
  const given = memberOf(readAnswer(answer.text).answer, insightNames)
  const text = JSON.stringify(given)
  if (since && Array.isArray(given))
    run.batchInsights = { memories: [...lines, ...earlier], ask: async () => ({ ...answer, text }) }
  return answer
}

/** The importance as the program's own service judges it; undefined if there is none. */
async function ownImportance({ run, signal }: Step): Promise<number | undefined> {
  const words = [...(await run.heard()).heard, ...run.turns].flatMap(({ messages }) => messages)
  const found = await run.options.importance?.(words, run.key, { signal })
  if (found === undefined || Number.isFinite(found)) return found && Math.min(highest, Math.max(0, found))
  throw new PromptStrataError(
    "usage",
    `expected services.importance to return a number from 0 to 10, found ${shownValue(found)}.`,
  )
}
const noNumber = { outcome: "parse-error", message: "no number from 0 to 10 in the answer" } as const

const maxEventCharacters = 300

/** The sentence in which the answer tells what happened; empty if it tells none. */
function eventIn(text: string): string {
  const told = memberOf(readJson(text), "event|事件")
  const event = onOneLine(typeof told === "string" ? told : "").trim()
  return event.slice(0, graphemeBoundaryBefore(event, maxEventCharacters))
}

const maxNotes = 5

/**
 * Asks a model how important the turns are, for notes and for profile fields, all at once, and shows it the documents as they are. Words
 * that were only heard are left out: the documents of one user are no place for those of another.
 */
async function learnStep({ run, ask, signal }: Step, documents: DocumentMemory, judged?: number): Promise<StepResult> {
  const dialogue = dialogueInjection(run.turns, daysIn(run.options.settings.timeZone))
  const [profile, notes] = await Promise.all([
    documents.text("user", run.key, { signal }),
    documents.text("memory", run.key, { signal }),
  ])
  const shown = [backgroundInjection("profile", profile.trim()), backgroundInjection("notes", notes.trim())]
  const { text } = await ask("learn", [dialogue, ...shown], { signal })
  const importance = judged ?? readImportance(withoutKeys(run, text))
  if (importance === undefined) return noNumber
  const written = memberOf(readJson(text), "notes|笔记")
  const given: unknown = typeof written === "string" ? [written] : written
  if (!Array.isArray(given))
    return { outcome: "ok", message: `importance ${importance}, no list of notes`, value: { importance } }
  const all = given.filter((note: unknown) => typeof note === "string" && note.trim() !== "")
  const own = all.slice(0, maxNotes)
  const over = all.length > maxNotes ? `, ${all.length - maxNotes} too many` : ""
  return {
    outcome: "ok",
    message: `importance ${importance}${own.length === 1 ? ", 1 note" : `, ${own.length} notes`}${over}`,
    value: { importance, notes: own },
  }
}

/** The id of the memory of a turn's message. */
export function memoryId(turnId: string, at: number): string {
  return `${turnId}:${at}`
}

async function profileOf({ options, key }: MemoryRun) {
  const profile = await options.userProfile?.get(key)
  return backgroundInjection("profile", profile === undefined ? "" : userProfileText(profile, options.settings.profileCharacters))
}

/** Returns the part of the answer with the importance, because the numbers in keys are none, and keeps the profile fields of a batch for the profile step. */
function withoutKeys(run: MemoryRun, text: string): string {
  const { answer, isCut } = readAnswer(text)
  const [before = text, ...others] = text.split(keysBegin)
  if (!isRecord(answer)) return before
  const fields = memberOf(answer, "profile|facts|画像|用户画像|事实")
  // Of a cut answer, fields with keys behind them are all there.
  if (fields !== undefined && (!isCut || others.length > 0))
    run.batchFields = readProfileFields(JSON.stringify(fields), Number.POSITIVE_INFINITY)
  const rest = Object.entries(answer).filter(([name]) => !otherMembers.test(name.trim()))
  // `7`, and then an object with the keys alone.
  return rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : text.slice(0, text.indexOf("{"))
}

const keysBegin = new RegExp(`["'“]?(?:${keyNames})["'”]?\\s*[:：]`)
const insightNames = "insights|认识"
const otherMembers = new RegExp(`^(?:${keyNames}|${insightNames}|profile|facts|画像|用户画像|事实|notes|笔记|event|事件)$`, "i")

const isUnknown = (name: string) => !otherMembers.test(name.trim()) && !importanceName.test(name.trim())
const importanceName = /^(?:importance|score|rating|重要性|重要度|分数|评分)$/i

const maxCharacters = 4_000
const highest = 10

/** Names of scales, each with its highest number. Their numbers are not the answer. */
const scales = [
  /(?:on )?a scale (?:of|from) [01] to (10{1,2}|5)\b/gi,
  /(?:from )?\b[01] ?(?:to|-|~|–|—|到|至) ?(10{1,2}|5)\b/gi,
  /\bout of (\d{1,4})\b/gi,
  /满分(?:为|是)? ?(\d{1,4}) ?分?/g,
]
const named =
  /(?:importance|score|rating|重要性|重要度|分数|评分|得分|打分)["'”’]? ?(?:is|为|是|[:=])? ?["'“]?(-?\d{1,9}(?:\.\d{1,9})?)/i
const number = /-?\d{1,9}(?:\.\d{1,9})?/
const fraction = /(-?\d{1,9}(?:\.\d{1,9})?) ?\/ ?(\d{1,9})/
/** Shares in other forms, and how each is written as a fraction. */
const shares: readonly (readonly [RegExp, string])[] = [
  [/百分之 ?(-?\d{1,9}(?:\.\d{1,9})?)/g, "$1/100"],
  [/(\d{1,9}) ?分之 ?(-?\d{1,9})/g, "$2/$1"],
  [/(-?\d{1,9}(?:\.\d{1,9})?) ?(?:%|per ?cent\b)/gi, "$1/100"],
]
const han = "零一二三四五六七八九十"
const hanNumber = new RegExp(`^[^${han}]{0,12}([${han}]) ?分?[。.!]?$`)

/**
 * Reads the importance, from 0 to 10, in a model's answer (T32): `7`, `7/10`, `70%`, `70 out of 100`, `重要性：7`, `{"importance": 7}`,
 * full-width digits, with or without words around it. Undefined if there is no number, or a list of several; no default is made up.
 */
export function readImportance(output: string): number | undefined {
  const text = stripThinking(output).slice(0, maxCharacters).normalize("NFKC").replaceAll("−", "-").trim()
  const answer = readJson(text)
  if (Array.isArray(answer) && answer.filter((item) => typeof item === "number").length > 1) return undefined
  const found = importanceIn(answer) ?? numberIn(text)
  if (found !== undefined) return Math.min(highest, Math.max(0, found))
  const spelled = hanNumber.exec(scales.reduce((left, scale) => left.replace(scale, ""), text))?.[1]
  return spelled === undefined ? undefined : han.indexOf(spelled)
}

/** The number that a text tells, brought to a scale of ten. */
function numberIn(text: string): number | undefined {
  let full = highest
  let bare = text
  for (const [share, written] of shares) bare = bare.replace(share, written)
  for (const scale of scales) {
    bare = bare.replace(scale, (_scale, most: string) => {
      full = Number(most) || highest
      return ""
    })
  }
  bare = bare.replace(/ +/g, " ")
  const told = named.exec(bare)?.[1]
  const [, part, whole] = fraction.exec(bare) ?? []
  if (part !== undefined && (told === undefined || told === part)) return (Number(part) * highest) / (Number(whole) || highest)
  const found = told ?? number.exec(bare)?.[0]
  return found === undefined ? undefined : (Number(found) * highest) / full
}

function importanceIn(value: unknown): number | undefined {
  if (Array.isArray(value)) return importanceIn(value[0])
  if (typeof value === "number") return value
  if (typeof value === "string") return numberIn(value)
  if (!isRecord(value)) return undefined
  const keys = Object.keys(value)
  const named = keys.find((name) => importanceName.test(name.trim()))
  const key = named ?? (keys.length === 1 ? keys[0] : undefined)
  return key === undefined ? undefined : importanceIn(value[key])
}
