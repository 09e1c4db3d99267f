import { z } from "zod"
import { messageOf, PromptStrataError } from "../core/errors.ts"

/** One entry of the schedule. Times are ISO 8601 in UTC. */
const itemSchema = z.strictObject({
  id: z.int().positive(),
  title: z.string(),
  content: z.string().optional(),
  /** The time as it was given, in any words. */
  scheduleTime: z.string(),
  /** The moment, when the words were a date. */
  at: z.string().optional(),
  createdAt: z.string(),
})

export type ScheduleItem = z.infer<typeof itemSchema>

/** The content of the file. Ids are never used again: `nextId` stays when items are removed. */
const scheduleSchema = z
  .strictObject({ version: z.literal(1), nextId: z.int().positive(), items: z.array(itemSchema) })
  .refine(({ nextId, items }) => items.every(({ id }) => id < nextId), "nextId must be above every id")
  .refine(({ items }) => new Set(items.map(({ id }) => id)).size === items.length, "ids must not repeat")

export type Schedule = z.infer<typeof scheduleSchema>

/** The schedule in a text; an empty one without a text. Throws `file`, naming the file, when it is not a schedule. */
export function parseSchedule(text: string | undefined, file: string): Schedule {
  if (text === undefined) return { version: 1, nextId: 1, items: [] }
  try {
    return scheduleSchema.parse(JSON.parse(text))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : messageOf(cause)
    throw new PromptStrataError("file", `This is not a schedule: ${why}`, {
      cause,
      source: { file, line: 1 },
      hint: "The file was not changed. Correct it, or move it away to begin a new one.",
    })
  }
}
