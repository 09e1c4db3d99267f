import { join } from "node:path"
import leven from "leven"
import { dateFormat, findTimeZone, hostTimeZone } from "../core/memo.ts"
import type { Clock } from "../core/ports.ts"
import { parentOf } from "../loop/turn/calls/parent-turn.ts"
import { type ExplainedMemory, explainMemories } from "../memory/services/memory/explain-memories.ts"
import { nameOf } from "../memory/services/memory/memory-service.ts"
import type { StoredMemory } from "../memory/services/store/records.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../prompt/dialect/shipped-files.ts"
import { encodeInline } from "../prompt/encode/inline.ts"
import { onOneLine } from "../prompt/encode/line-breaks.ts"
import type { TemplateValues } from "../prompt/template/render.ts"
import { calculateTool } from "../prompt/tools/builtin/calculate.ts"
import { defineTool } from "../prompt/tools/define-tool.ts"
import type { Tool } from "../prompt/tools/tool.ts"
import { textArguments } from "../prompt/tools/tool-schema.ts"
import { type ToolWords, toolWords } from "../prompt/tools/tool-words.ts"
import { isFolder } from "./file-log.ts"
import { createFileTools } from "./files/create-file-tools.ts"
import { type FileMount, fileToolNames, isInMount } from "./files/file-tool-options.ts"
import { emptyWorkspace, workspaceOnDemand } from "./files/workspace-on-demand.ts"
import { loadPrompts } from "./load-prompts.ts"
import { scheduleTools } from "./schedule-tools.ts"
import type { FileWorkspaceOptions } from "./workspace/workspace.ts"

const maxExplained = 5
const maxSources = 5

/** Makes the tool `explain_memory`, which tells why the agent remembers something: words, sources, score and background work. */
function explainMemoryTool({ timeZone, words }: { timeZone: string; words: ToolWords }): Tool {
  const { description, usageHint, parameters, say } = words
  const stamp = dateFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" })
  return defineTool({
    name: "explain_memory",
    description,
    usageHint,
    group: "context",
    inputSchema: textArguments({ query: { description: parameters.query } }),
    async execute({ query }, context) {
      const { memory, receipts } = parentOf(context) ?? {}
      if (memory === undefined || receipts === undefined) return say({ off: true })
      const { key, signal } = context
      const found = await explainMemories({ memory, receipts }, query, key, { limit: maxExplained, signal })
      if (found.length === 0) return say({ none: true })
      const at = (atMs: number): string => stamp.format(atMs)
      return found.map((each) => say(valuesOf(each, at))).join("\n")
    },
  })
}

/** Texts are encoded one by one, so that a memory cannot look like another one. */
function valuesOf(
  { id, text, speaker, atMs, score, why = [], stored, sources, receipts }: ExplainedMemory,
  at: (atMs: number) => string,
): TemplateValues {
  const { conversation, kind, importance } = stored ?? {}
  const name = nameOf(speaker)
  const signals = why.filter(({ share }) => share >= 0.005).map(({ signal, share }) => `${signal} ${Math.round(share * 100)} %`)
  const shown = sources.slice(0, maxSources).map((source) => sourceText(source, at))
  const work = receipts.map(({ kind, outcome, message = "" }) => `${kind} ${outcome} ${message}`.trim())
  return {
    id: encodeInline(id),
    text: encodeInline(text),
    insight: kind === "insight",
    by: name && encodeInline(name),
    at: atMs === undefined ? undefined : at(atMs),
    where: conversation === undefined ? undefined : encodeInline(conversation),
    score: score === undefined ? undefined : score.toFixed(2),
    signals: signals.join(", ") || undefined,
    importance,
    sources: shown.join("; ") || undefined,
    more: Math.max(0, sources.length - maxSources) || undefined,
    work: work.length === 0 ? undefined : encodeInline(onOneLine(work.join("; "))),
  }
}

function sourceText({ id, text, speaker, atMs }: StoredMemory, at: (atMs: number) => string): string {
  return `${encodeInline(id)} (${encodeInline(speaker.name)}, ${at(atMs)}) ${encodeInline(text)}`
}

/**
 * Makes the tool `forget_memory`, which forgets one memory of the speaker with all that was drawn with it. It asks first if the program
 * can ask somebody.
 */
function forgetMemoryTool({ words }: { words: ToolWords }): Tool {
  const { description, usageHint, parameters, say, refuse } = words
  return defineTool({
    name: "forget_memory",
    description,
    usageHint,
    group: "context",
    writes: true,
    inputSchema: textArguments({ id: { description: parameters.id } }),
    async execute({ id }, context) {
      const { memory } = parentOf(context) ?? {}
      if (memory?.get === undefined || memory.forget === undefined) throw refuse({ off: true })
      const { key, clock, confirm, signal } = context
      const known = await memory.get(id, key)
      if (known === undefined || known.user !== key.user) throw refuse({ unknown: encodeInline(id) })
      const asked = { tool: "forget_memory", summary: say({ asks: onOneLine(known.text) }) }
      if (confirm && !(await confirm(asked, signal))) throw refuse({ refused: true })
      // After this the memory is gone, also if the turn ends.
      signal.throwIfAborted()
      const { memories, statements } = await memory.forget([id], key, { atMs: clock.nowMs(), inTurn: true })
      context.record?.({ kind: "forget", tool: "forget_memory", summary: say({ memories, statements }) })
      return say({ memories, statements })
    },
  })
}

/** Options of {@link currentTimeTool}. */
interface CurrentTimeOptions {
  readonly clock: Clock
  /** The language of the tool's texts and of the weekday, such as `zh-CN`. */
  readonly locale: string
  /** The time zone when the model asks for none. Default: the host's. */
  readonly timeZone?: string | undefined
  /** The tool's texts. Default: the shipped ones. */
  readonly words?: ToolWords | undefined
}

/**
 * Makes the tool `current_time`, which answers `2026-11-21 14:05:09 星期六 (Asia/Shanghai, UTC+08:00)`. An unknown zone throws
 * `tool-arguments` with similar names.
 */
export function currentTimeTool(options: CurrentTimeOptions): Tool {
  const { clock, locale, timeZone, words = toolWords(shippedPrompts("tools", locale), locale, "current_time") } = options
  const { description, usageHint, parameters, say, refuse } = words
  return defineTool({
    name: "current_time",
    description,
    usageHint,
    repeatable: true,
    inputSchema: textArguments({ timezone: { description: parameters.timezone, optional: true } }),
    execute({ timezone }) {
      const name = timezone?.trim() || timeZone || hostTimeZone()
      const zone = findTimeZone(name)
      if (zone === undefined) {
        const near = nearTimeZones(name)
        const unknown = JSON.stringify(name.slice(0, 100))
        throw refuse({ unknown, near: near.join(", ") }, { timeZone: name, near })
      }
      return say({ zone, ...localTime(clock.nowMs(), zone, locale) })
    },
  })
}

/**
 * Returns the local `date` (`2026-11-21`), `time` (`14:05:09`), `weekday` in the language of `locale` and UTC `offset`
 * (`+08:00`), by the Gregorian calendar and a 24-hour clock in every locale.
 */
function localTime(atMs: number, timeZone: string, locale: string) {
  // Swedish writes dates and times as ISO 8601 does.
  const local = dateFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(atMs)
  const [date, time] = local.split(" ")
  const zoned = dateFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(atMs)
  const offset = zoned.find(({ type }) => type === "timeZoneName")?.value.replace("GMT", "") || "+00:00"
  return { date, time, weekday: dateFormat(locale, { timeZone, weekday: "long" }).format(atMs), offset }
}

const maxSuggestions = 3

/** A longer name is no mistyped one, and to compare it would take long. */
const maxNameLength = 64

/** Returns at most three zones with a similar name: those of the same city, else those of similar spelling, the nearest first. */
export function nearTimeZones(name: string): string[] {
  const wanted = fold(name)
  if (wanted === "" || wanted.length > maxNameLength) return []
  const zones = Intl.supportedValuesOf("timeZone")
  const sameCity = zones.filter((zone) => cityOf(fold(zone)) === cityOf(wanted))
  if (sameCity.length > 0) return sameCity.slice(0, maxSuggestions)
  const maxDistance = Math.max(1, Math.floor(wanted.length / 3))
  return zones
    .map((zone) => ({ zone, distance: Math.min(leven(wanted, fold(zone)), leven(wanted, cityOf(fold(zone)))) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxSuggestions)
    .map(({ zone }) => zone)
}

function fold(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1)
}

/** Everything that built-in tools are made from. */
export interface BuiltinToolOptions {
  readonly locale: string
  readonly clock: Clock
  /** The time zone in which tools tell the time. Default: the host's. */
  readonly timeZone?: string | undefined
  /** The folder for the files of tools; created by the first write. */
  readonly dataFolder: string
  /** The user's prompts folder. `tools/LOCALE/NAME.md` in it replaces a tool's own words. */
  readonly promptFolder?: string | undefined
  /** The folder of the file tools; created by the first write. Default: `workspace` in `dataFolder`. */
  readonly workspaceFolder?: string
  /** The settings to open that folder with. */
  readonly workspace?: FileWorkspaceOptions
  /** Other folders that the file tools can read, such as skills. */
  readonly mounts?: readonly FileMount[]
}

const otherToolNames = [
  ...["add_schedule", "calculate", "cancel_schedule", "current_time", "explain_memory", "forget_memory", "list_schedule"],
]

/** The names of the built-in tools, sorted. */
export const builtinToolNames: readonly string[] = [...otherToolNames, ...fileToolNames].sort()

/** The built-in tools of these names, each once and in the given order. Other names are ignored. */
export function builtinTools(names: readonly string[], options: BuiltinToolOptions): Tool[] {
  const { locale, clock, timeZone = hostTimeZone(), dataFolder, promptFolder } = options
  const prompts = promptsWithOwn(locale, promptFolder)
  const words = (name: string): ToolWords => toolWords(prompts, locale, name)
  const schedule = () => scheduleTools({ folder: dataFolder, clock, locale, timeZone, prompts })
  const makers: Readonly<Record<string, () => Tool | undefined>> = {
    add_schedule: () => schedule()[0],
    calculate: () => calculateTool({ locale, words: words("calculate") }),
    cancel_schedule: () => schedule()[2],
    current_time: () => currentTimeTool({ clock, locale, timeZone, words: words("current_time") }),
    explain_memory: () => explainMemoryTool({ timeZone, words: words("explain_memory") }),
    forget_memory: () => forgetMemoryTool({ words: words("forget_memory") }),
    list_schedule: () => schedule()[1],
  }
  const files = fileTools(names, prompts, options)
  return [...new Set(names)]
    .map((name) => (Object.hasOwn(makers, name) ? makers[name]?.() : files.find((tool) => tool.name === name)))
    .filter((tool) => tool !== undefined)
}

/** The file tools are made together, as they share the record of what the model was shown. */
function fileTools(names: readonly string[], prompts: readonly PromptSource[], options: BuiltinToolOptions): readonly Tool[] {
  const { locale, clock, dataFolder, workspaceFolder = join(dataFolder, "workspace"), workspace, mounts } = options
  const tools = fileToolNames.filter((name) => names.includes(name))
  if (tools.length === 0) return []
  const opened = workspaceOnDemand(workspaceFolder, { clock, ...workspace })
  return createFileTools(opened, { tools, locale, prompts, mounts })
}

/** The tool `read` for the mounts alone. */
export function mountTools({ locale, promptFolder, mounts = [] }: BuiltinToolOptions): readonly Tool[] {
  const prompts = promptsWithOwn(locale, promptFolder)
  return createFileTools(emptyWorkspace(), { tools: ["read"], locale, prompts, mounts, allow: (path) => isInMount(path, mounts) })
}

/** The shipped words for tools in a locale, then the users' in all. Of two files with the same name the later one is used. */
export function promptsWithOwn(locale: string, ...promptFolders: readonly (string | undefined)[]): readonly PromptSource[] {
  return [...shippedPrompts("tools", locale), ...promptFolders.flatMap(ownPrompts)]
}

function ownPrompts(promptFolder: string | undefined): PromptSource[] {
  const folder = promptFolder === undefined ? undefined : join(promptFolder, "tools")
  return folder !== undefined && isFolder(folder) ? loadPrompts(folder, { shownAs: "tools" }) : []
}
