import { join, resolve } from "node:path"
import type { Clock } from "../core/ports.ts"
import type { PromptSource } from "../prompt/dialect/prompt-source.ts"
import { shippedPrompts } from "../prompt/dialect/shipped-files.ts"
import { encodeInline } from "../prompt/encode/inline.ts"
import { renderTemplate } from "../prompt/template/render-template.ts"
import { defineTool } from "../prompt/tools/define-tool.ts"
import { textArguments } from "../prompt/tools/text-arguments.ts"
import type { Tool } from "../prompt/tools/tool.ts"
import { type ToolWords, toolWords } from "../prompt/tools/tool-words.ts"
import type { Schedule, ScheduleItem } from "./schedule-file.ts"
import { readOwnFile, updateFile } from "./workspace/update-file.ts"

interface ScheduleOptions {
  /** The folder of `schedule.json`; created when the first entry is added. */
  readonly folder: string
  readonly clock: Clock
  /** The language of the tools' texts, such as `zh-CN`. */
  readonly locale: string
  /** The prompt files with the tools' words. Default: the shipped ones. */
  readonly prompts?: readonly PromptSource[] | undefined
}

/**
 * The tools `add_schedule` and `list_schedule` over one JSON file. Each change replaces the whole file in one step, and waits for
 * those of other agents and processes. Ids are never used again. A file that cannot be read is reported and not changed.
 */
export function scheduleTools({ folder, clock, locale, prompts }: ScheduleOptions): readonly [add: Tool, list: Tool] {
  const file = resolve(join(folder, "schedule.json"))
  const words = (name: string): ToolWords => toolWords(prompts ?? shippedPrompts("tools", locale), locale, name)
  return [addTool(file, clock, words("add_schedule")), listTool(file, words("list_schedule"))]
}

function addTool(file: string, clock: Clock, { description, usageHint, parameters, answer }: ToolWords): Tool {
  return defineTool({
    name: "add_schedule",
    description,
    usageHint,
    writes: true,
    inputSchema: textArguments({
      title: { description: parameters.title },
      content: { description: parameters.content, optional: true },
      schedule_time: { description: parameters.schedule_time },
    }),
    async execute({ title, content, schedule_time: scheduleTime }, { signal }) {
      const atMs = parseMoment(scheduleTime)
      const at = atMs === undefined ? undefined : new Date(atMs).toISOString()
      const item = { title, content, scheduleTime, at, createdAt: new Date(clock.nowMs()).toISOString() }
      const id = await add(file, item, signal)
      return renderTemplate(answer, { id, title, content, time: scheduleTime })
    },
  })
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
      return `${JSON.stringify(next, undefined, 2)}\n`
    },
    signal,
  )
  return id
}

function listTool(file: string, { description, usageHint, answer }: ToolWords): Tool {
  return defineTool({
    name: "list_schedule",
    description,
    usageHint,
    async execute() {
      const { items } = (await loadParser())(await readOwnFile(file), file)
      if (items.length === 0) return renderTemplate(answer, { empty: true })
      return items.map((item) => renderTemplate(answer, printedItem(item))).join("\n")
    },
  })
}

/** The values are encoded, so that the text of an entry cannot look like another entry. */
function printedItem({ id, title, content, scheduleTime }: ScheduleItem) {
  return {
    id,
    title: encodeInline(title),
    time: encodeInline(scheduleTime),
    content: content === undefined || content.trim() === "" ? undefined : encodeInline(content),
  }
}

const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/i

/**
 * The moment of an ISO 8601 date or date and time, in milliseconds since 1970. Without an offset the time zone of this machine is
 * used, without a time midnight. `undefined` for other words and for dates that do not exist.
 */
export function parseMoment(text: string): number | undefined {
  const match = pattern.exec(text.trim())
  if (match === null) return undefined
  const fields = match.slice(1, 7).map((part) => Number(part ?? 0))
  const [year = 0, month = 0, ...rest] = fields
  const utcMs = Date.UTC(year, month - 1, ...rest)
  // Dates roll over: the 31st of February would become the 3rd of March.
  const real = new Date(utcMs).toISOString().match(/\d+/g) ?? []
  if (fields.some((field, at) => field !== Number(real[at]))) return undefined
  const offsetMs = parseOffset(match[7])
  return offsetMs === undefined ? new Date(year, month - 1, ...rest).getTime() : utcMs - offsetMs
}

function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^z$/i.test(text)) return 0
  const sign = text.startsWith("-") ? -1 : 1
  return sign * (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))) * 60_000
}
