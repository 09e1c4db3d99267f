import { isRecord, type Json, listOf, numberOr, recordOf, stringOf } from "../../../core/json-access.ts"
import { branchText, loreText, overridden, type PresetWords, promptText } from "./preset-words.ts"
import { isSamplersJson, readSamplers, type Samplers } from "./samplers.ts"
import tables from "./silly-tavern.json" with { type: "json" }
import { defaultStory, storyOf } from "./story-string.ts"

/** A part of a prompt in a preset: words, or the place of something. */
export interface PresetPiece {
  readonly role: "system" | "user" | "assistant"
  /** As a prompt file writes it. */
  readonly text: string
}

/** A preset of SillyTavern as far as a chat API can follow it. */
export interface Preset {
  readonly before: readonly PresetPiece[]
  /** The parts behind the history. */
  readonly after: readonly PresetPiece[]
  /** The parts at a depth of the history, those with the lowest order first. Their words are as in a lorebook of Markdown. */
  readonly deep: readonly (PresetPiece & { readonly name: string; readonly depth: number })[]
  /** Keys of a card that the preset does not show. */
  readonly off: readonly string[]
  /** Macros that each turn fills in anew, for the outlets `preset_1` and so on. */
  readonly drawn: readonly string[]
  readonly samplers: Samplers
  /** A sentence for each thing that was not followed, or not as it was. */
  readonly report: readonly string[]
}

/** The slots of the dialect `tavern` for what a preset can place. */
export interface PresetSlots {
  readonly personality: string
  readonly scenario: string
  readonly examples: string
}

/** True for the JSON of a preset or a template that {@link readPreset} reads. */
export function isPresetJson(json: Json): boolean {
  if (Array.isArray(json.prompts) && json.prompts.some((prompt) => isRecord(prompt) && "identifier" in prompt)) return true
  if (typeof json.story_string === "string" || typeof json.input_sequence === "string") return true
  if (typeof json.content === "string" && typeof json.name === "string") return true
  if (isSamplersJson(json)) return true
  return [json.context, json.instruct, json.sysprompt].some((part) => isRecord(part) && isPresetJson(part))
}

/** Reads a chat-completion preset, a context or instruct template, a system prompt, settings of samplers, or a file that holds several of these. */
export function readPreset(json: Json, slots: PresetSlots): Preset {
  const words: PresetWords = { report: [], variables: new Map(), drawn: [], room: 1_000_000 }
  const samplers = readSamplers(json, words.report)
  const rest = { drawn: words.drawn, samplers, report: words.report }
  if (Array.isArray(json.prompts)) return { ...promptManagerPreset(json, { slots, words, samplers }), ...rest }
  const system = isRecord(json.sysprompt) ? json.sysprompt : json
  const given = stringOf(system.content) || stringOf(recordOf(json.instruct).system_prompt) || stringOf(json.system_prompt)
  const context = isRecord(json.context) ? json.context : json
  const instruct = isRecord(json.instruct) ? json.instruct : "input_sequence" in json ? json : {}
  const story = stringOf(context.story_string).trim() || defaultStory
  const { text, off } = storyOf(story, { main: given.trim(), examples: slots.examples, words })
  const start = promptText(stringOf(context.chat_start), { words, name: "chat_start" }).text
  const after = promptText(stringOf(system.post_history), { words, name: "post_history" }).text
  for (const [name, value] of Object.entries(instruct))
    if (!["name", "system_prompt"].includes(name) && isSet(value))
      words.report.push(`instruct.${name}: a chat API marks the messages itself.`)
  const isKnown = (name: string) => ofTemplates.has(name) || samplers.known.has(name) || (context === json && name in instruct)
  for (const [name, value] of Object.entries(context))
    if (!isKnown(name) && isSet(value) && !isRecord(value))
      words.report.push(`${name.slice(0, 60)}: a chat API has nothing like it.`)
  const before = [text, start].filter((piece) => piece !== "").join("\n\n")
  return {
    before: [{ role: "system", text: before }],
    after: after === "" ? [] : [{ role: "system", text: after }],
    deep: [],
    off,
    ...rest,
  }
}

const ofTemplates: ReadonlySet<string> = new Set("name story_string chat_start content post_history system_prompt".split(" "))

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0)
}

const markers: Readonly<Record<string, readonly string[]>> = tables.markers

interface PresetParts {
  readonly slots: PresetSlots
  readonly words: PresetWords
  readonly samplers: Samplers
}

function promptManagerPreset(
  json: Json,
  { slots, words, samplers }: PresetParts,
): Pick<Preset, "before" | "after" | "deep" | "off"> {
  const { report } = words
  const prompts = new Map(listOf(json.prompts).map((prompt) => [stringOf(recordOf(prompt).identifier), recordOf(prompt)]))
  const order = orderOf(json, prompts, report)
  const places = slotTexts(json, { slots, words })
  const sides: [PresetPiece[], PresetPiece[]] = [[], []]
  const inChat: (Preset["deep"][number] & { readonly order: number })[] = []
  const used = new Set<string>()
  const last: PresetPiece[] = []
  let isAfterHistory = false
  for (const identifier of order) {
    const prompt = prompts.get(identifier) ?? {}
    const name = `prompt ${JSON.stringify((stringOf(prompt.name) || identifier).slice(0, 60))}`
    used.add(identifier)
    if (identifier === "chatHistory") isAfterHistory = true
    else if (Object.hasOwn(places, identifier)) sides[0].push({ role: "system", text: places[identifier] ?? "" })
    else {
      const role = prompt.role === "user" || prompt.role === "assistant" ? prompt.role : "system"
      if (listOf(prompt.injection_trigger).length > 0)
        report.push(`${name}: it stands in every answer, not only in those of its triggers.`)
      const depth = numberOr(prompt.injection_depth, 4)
      if (prompt.injection_position === 1 && depth > 0) {
        const text = loreText(stringOf(prompt.content), { words, name })
        if (text !== "") inChat.push({ name: identifier, depth, order: numberOr(prompt.injection_order, 100), role, text })
        continue
      }
      const text = overridden(identifier, prompt, { words, name })
      if (text === "") continue
      const side = prompt.injection_position === 1 ? last : sides[isAfterHistory ? 1 : 0]
      // Words behind the history are part of the last message; an answer cannot be begun for the model.
      if (side !== sides[0] && role === "assistant")
        report.push(`${name}: words of the assistant behind the history are left out; not every model goes on with them.`)
      side.push({ role, text })
    }
  }
  if (!isAfterHistory) report.push("prompt_order: the history has no place in it; it stands at the end.")
  inChat.sort((a, b) => a.order - b.order)
  const start = promptText(stringOf(json.new_chat_prompt), { words, name: "new_chat_prompt" }).text
  for (const [name, value] of Object.entries(json))
    if (!followed.has(name) && !samplers.known.has(name) && isSet(value))
      report.push(`${name.slice(0, 60)}: a profile has no such setting.`)
  return {
    before: start === "" ? sides[0] : [...sides[0], { role: "system", text: start }],
    after: [...last, ...sides[1]].filter(({ role }) => role !== "assistant"),
    deep: inChat,
    off: Object.entries(markers).flatMap(([marker, keys]) => (used.has(marker) ? [] : keys)),
  }
}

const followed: ReadonlySet<string> = new Set(
  "prompts prompt_order personality_format scenario_format new_chat_prompt name".split(" "),
)

/** The identifiers that a preset shows, in order. Prompts that are switched off are listed. */
function orderOf(json: Json, prompts: ReadonlyMap<string, Json>, report: string[]): readonly string[] {
  const orders = listOf(json.prompt_order).map(recordOf)
  // SillyTavern keeps the order for all characters under this id; an older one comes first in some files.
  const chosen = orders.find(({ character_id: id }) => String(id) === "100001") ?? orders.at(-1)
  if (orders.length > 1)
    report.push(`prompt_order: of ${orders.length} orders, that of ${String(chosen?.character_id).slice(0, 40)} is followed.`)
  const entries =
    chosen === undefined
      ? [...prompts.keys()].map((identifier) => ({ identifier, enabled: true }))
      : listOf(chosen.order).map(recordOf)
  return entries.flatMap(({ identifier, enabled }) => {
    const id = stringOf(identifier)
    if (enabled !== false && (prompts.has(id) || Object.hasOwn(markers, id))) return [id]
    const name = JSON.stringify((stringOf(prompts.get(id)?.name) || id).slice(0, 60))
    report.push(enabled === false ? `prompt ${name}: it is switched off.` : `prompt ${name}: the preset does not hold it.`)
    return []
  })
}

/** The texts of the places of a card, with the preset's own words around personality and scenario. */
function slotTexts(json: Json, { slots, words }: Pick<PresetParts, "slots" | "words">): Readonly<Record<string, string>> {
  const around = (name: "personality" | "scenario"): string => {
    const format = json[`${name}_format`]
    if (typeof format !== "string" || !format.includes(`{{${name}}}`)) return slots[name]
    const slot = `character.${name}`
    const [front = "", ...rest] = format.split(`{{${name}}}`).map((part) => branchText(part, { words, name: `${name}_format` }))
    if (rest.every((part) => part.trim() === "") && front.trim() === "") return `\${${slot}}`
    return `\${${slot}?\n${[front, ...rest].join(`\${${slot}}`)}\n}`
  }
  return {
    worldInfoBefore: "${lorebook.before}",
    worldInfoAfter: "${lorebook.after}",
    charDescription: "${persona}",
    charPersonality: around("personality"),
    scenario: around("scenario"),
    dialogueExamples: slots.examples,
    personaDescription: userPersona,
  }
}

/** The slot for what a profile says of its user, who has a description in SillyTavern. */
const userPersona = "${user_persona}"
