import { join, resolve } from "node:path"
import { hostTimeZone } from "../core/memo.ts"
import type { Clock } from "../core/ports.ts"
import { repeatText } from "../loop/agent/schedule/repeat-text.ts"
import { parentOf } from "../loop/turn/calls/parent-turn.ts"
import { localText } from "../memory/services/recall/time/local-time.ts"
import type { ScheduledWake } from "../memory/services/wakes.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../prompt/dialect/shipped-files.ts"
import { encodeInline } from "../prompt/encode/inline.ts"
import type { TemplateValues } from "../prompt/template/render.ts"
import { defineTool } from "../prompt/tools/define-tool.ts"
import type { Tool } from "../prompt/tools/tool.ts"
import { textArguments } from "../prompt/tools/tool-schema.ts"
import { type ToolWords, toolWords } from "../prompt/tools/tool-words.ts"
import type { Schedule, ScheduleItem } from "./schedule-file.ts"
import { readOwnFile, updateFile } from "./workspace/update-file.ts"

interface ScheduleOptions {
  /** The folder of `schedule.json`; created when the first entry is added. */
  readonly folder: string
  readonly clock: Clock
  /** The language of the tools' texts, such as `zh-CN`. */
  readonly locale: string
  /** The time zone of moments that were wanted in none. Default: the host's. */
  readonly timeZone?: string | undefined
  /** The prompt files with the tools' words. Default: the shipped ones. */
  readonly prompts?: readonly PromptSource[] | undefined
}

/**
 * The tools `add_schedule`, `list_schedule` and `cancel_schedule`. An entry with a moment becomes a wake of the person in the agent's store, and rings (T49). One without,
 * and every one where nothing can ring, is a note in a JSON file, and the answer says that it does not ring. Each change replaces the whole file in one step, and waits for
 * those of other agents and processes. Ids are never used again. A file that cannot be read is reported and not changed.
 */
export function scheduleTools(options: ScheduleOptions): readonly [add: Tool, list: Tool, cancel: Tool] {
  const { folder, clock, locale, timeZone = hostTimeZone(), prompts } = options
  const file = resolve(join(folder, "schedule.json"))
  const words = (name: string) => ({ ...toolWords(prompts ?? shippedPrompts("tools", locale), locale, name), locale, timeZone })
  return [
    addTool(file, clock, words("add_schedule")),
    listTool(file, words("list_schedule")),
    cancelTool(file, words("cancel_schedule")),
  ]
}

type LocalWords = ToolWords & { readonly locale: string; readonly timeZone: string }

function addTool(file: string, clock: Clock, words: LocalWords): Tool {
  const { description, usageHint, parameters, say, refuse, timeZone } = words
  return defineTool({
    name: "add_schedule",
    description,
    usageHint,
    writes: true,
    inputSchema: textArguments({
      title: { description: parameters.title },
      content: { description: parameters.content, optional: true },
      schedule_time: { description: parameters.schedule_time },
      repeat: { description: parameters.repeat, optional: true },
      time_zone: { description: parameters.time_zone, optional: true },
    }),
    async execute({ title, content = "", schedule_time: at, repeat = "", time_zone = "" }, context) {
      const { wakes, question } = parentOf(context) ?? {}
      const { key, signal } = context
      if (wakes !== undefined) {
        const reason = content.trim() === "" ? title : `${title} (${content})`
        const to = question?.speaker.id === key.user ? question.speaker : undefined
        const repeated = repeat.trim() || undefined
        const outcome = await wakes.set(key, { at, reason, repeat: repeated, timeZone: time_zone.trim() || undefined, to })
        if (outcome.ok) {
          const { wake, clockChange = "exact", quiet, waits } = outcome
          return say({ ...printedWake(wake, words), [clockChange]: true, quiet, waits })
        }
        const refusal = outcome.refusal.replaceAll("-", "_")
        const now = zonedText(clock.nowMs(), timeZone)
        if (refusal !== "unclear" || repeated !== undefined) throw refuse({ [refusal]: true, now })
      }
      const item = { title, content: content || undefined, scheduleTime: at, createdAt: new Date(clock.nowMs()).toISOString() }
      return say({ note: await add(file, item, signal) })
    },
  })
}

const zonedText = (atMs: number, timeZone: string): string => `${localText(atMs, timeZone)} (${timeZone})`

function printedWake({ id, reason, dueMs, timeZone, repeat }: ScheduledWake, words: LocalWords): TemplateValues {
  const time = zonedText(dueMs, timeZone ?? words.timeZone)
  return { id, title: encodeInline(reason), time, repeat: repeat && repeatText(repeat, words.locale) }
}

/** The parser needs zod, which no program loads before a tool of the schedule runs. */
const loadParser = async () => (await import("./schedule-file.ts")).parseSchedule

async function add(file: string, item: Omit<ScheduleItem, "id">, signal: AbortSignal): Promise<number> {
  const parseSchedule = await loadParser()
  let id = 0
  await updateFile(
    file,
    (text) => {
      const { nextId, items } = parseSchedule(text, file)
      id = nextId
      const next: Schedule = { version: 1, nextId: id + 1, items: [...items, { id, ...item }] }
      return printed(next)
    },
    signal,
  )
  return id
}

function printed(schedule: Schedule): string {
  return `${JSON.stringify(schedule, undefined, 2)}\n`
}

function listTool(file: string, words: LocalWords): Tool {
  const { description, usageHint, say } = words
  return defineTool({
    name: "list_schedule",
    description,
    usageHint,
    async execute(_, context) {
      const wakes = (await parentOf(context)?.wakes?.list(context.key)) ?? []
      const { items } = (await loadParser())(await readOwnFile(file), file)
      if (items.length + wakes.length === 0) return say({ empty: true })
      return [...wakes.map((wake) => printedWake(wake, words)), ...items.map(printedItem)].map((entry) => say(entry)).join("\n")
    },
  })
}

function cancelTool(file: string, { description, usageHint, parameters, say, refuse }: ToolWords): Tool {
  return defineTool({
    name: "cancel_schedule",
    description,
    usageHint,
    writes: true,
    inputSchema: textArguments({ id: { description: parameters.id } }),
    async execute({ id }, context) {
      const wanted = id.trim()
      const parseSchedule = await loadParser()
      const isDropped = await parentOf(context)?.wakes?.drop(context.key, wanted)
      let isFound = isDropped === true
      const isNote = !isFound && parseSchedule(await readOwnFile(file), file).items.some((item) => String(item.id) === wanted)
      const take = (text: string | undefined): string => {
        const schedule = parseSchedule(text, file)
        const items = schedule.items.filter((item) => String(item.id) !== wanted)
        isFound = items.length < schedule.items.length
        return printed({ ...schedule, items })
      }
      if (isNote) await updateFile(file, take, context.signal)
      if (isFound) return say({ id: encodeInline(wanted) })
      throw refuse({ unknown: encodeInline(wanted) })
    },
  })
}

/** The values are encoded, so that the text of an entry cannot look like another entry. */
function printedItem({ id, title, content, scheduleTime }: ScheduleItem) {
  return {
    note: id,
    title: encodeInline(title),
    time: encodeInline(scheduleTime),
    content: content === undefined || content.trim() === "" ? undefined : encodeInline(content),
  }
}
