import { join, resolve } from "node:path"
import type { Clock } from "../core/ports.ts"
import { shippedPrompts } from "../dialect/shipped.ts"
import { encodeInline } from "../encode/inline.ts"
import { createKeyedQueue } from "../services/keyed-queue.ts"
import { renderTemplate } from "../template/render.ts"
import { defineTool } from "../tools/define-tool.ts"
import { textArguments } from "../tools/text-arguments.ts"
import type { Tool } from "../tools/tool.ts"
import { type ToolWords, toolWords } from "../tools/tool-words.ts"
import { parseMoment } from "./parse-moment.ts"
import { readSchedule, type ScheduleItem, writeSchedule } from "./schedule-file.ts"

/** Settings of {@link scheduleTools}. */
export interface ScheduleOptions {
  /** Where `schedule.json` lives; made when the first entry is added. */
  readonly folder: string
  readonly clock: Clock
  /** The language of the tools' texts, such as `zh-CN`. */
  readonly locale: string
  /** Other words than the shipped ones. */
  readonly words?: { readonly add?: ToolWords; readonly list?: ToolWords }
}

/** Changes of one file wait for each other, whichever agent of this process makes them; other processes are not waited for. */
const changes = createKeyedQueue()

/**
 * The tools `add_schedule` and `list_schedule` over one JSON file. Each change replaces the whole file at once, ids grow
 * and are never used again, and a file that cannot be read is reported and left alone.
 */
export function scheduleTools({ folder, clock, locale, words }: ScheduleOptions): readonly [add: Tool, list: Tool] {
  const file = resolve(join(folder, "schedule.json"))
  return [
    addTool(file, clock, words?.add ?? toolWords(shippedPrompts(), locale, "add_schedule")),
    listTool(file, words?.list ?? toolWords(shippedPrompts(), locale, "list_schedule")),
  ]
}

function addTool(file: string, clock: Clock, { description, usageHint, parameters, answer }: ToolWords): Tool {
  return defineTool({
    name: "add_schedule",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    writes: true,
    inputSchema: textArguments({
      title: { description: parameters.title },
      content: { description: parameters.content, optional: true },
      schedule_time: { description: parameters.schedule_time },
    }),
    async execute({ title, content, schedule_time: scheduleTime }, { signal }) {
      const atMs = parseMoment(scheduleTime)
      const item = {
        title,
        ...(content === undefined ? {} : { content }),
        scheduleTime,
        ...(atMs === undefined ? {} : { at: new Date(atMs).toISOString() }),
        createdAt: new Date(clock.nowMs()).toISOString(),
      }
      const id = await changes.enqueue(file, () => add(file, item, signal))
      return renderTemplate(answer, { id, title, content, time: scheduleTime })
    },
  })
}

async function add(file: string, item: Omit<ScheduleItem, "id">, signal: AbortSignal): Promise<number> {
  const schedule = await readSchedule(file)
  // The last moment to stop: after this the entry is there, whole.
  signal.throwIfAborted()
  const id = schedule.nextId
  await writeSchedule(file, { version: 1, nextId: id + 1, items: [...schedule.items, { id, ...item }] })
  return id
}

function listTool(file: string, { description, usageHint, answer }: ToolWords): Tool {
  return defineTool({
    name: "list_schedule",
    description,
    ...(usageHint === undefined ? {} : { usageHint }),
    async execute() {
      const { items } = await changes.enqueue(file, () => readSchedule(file))
      if (items.length === 0) return renderTemplate(answer, { empty: true })
      return items.map((item) => renderTemplate(answer, printedItem(item))).join("\n")
    },
  })
}

/** Whatever was noted down cannot look like another entry. */
function printedItem({ id, title, content, scheduleTime }: ScheduleItem) {
  return {
    id,
    title: encodeInline(title),
    time: encodeInline(scheduleTime),
    content: content === undefined || content.trim() === "" ? undefined : encodeInline(content),
  }
}
