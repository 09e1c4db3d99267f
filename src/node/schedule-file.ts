import { mkdir, readFile } from "node:fs/promises"
import { dirname } from "node:path"
import writeFileAtomic from "write-file-atomic"
import { z } from "zod"
import { messageOf, PromptStrataError } from "../core/errors.ts"

/** One entry of the schedule. Times are ISO 8601 in UTC. */
export interface ScheduleItem {
  readonly id: number
  readonly title: string
  readonly content?: string | undefined
  /** The time as it was given, in any words. */
  readonly scheduleTime: string
  /** The moment, when the words were a date. */
  readonly at?: string | undefined
  readonly createdAt: string
}

/** The content of the file. Ids are never used again: `nextId` stays when items are removed. */
export interface Schedule {
  readonly version: 1
  readonly nextId: number
  readonly items: readonly ScheduleItem[]
}

const scheduleSchema = z
  .strictObject({
    version: z.literal(1),
    nextId: z.int().positive(),
    items: z.array(
      z.strictObject({
        id: z.int().positive(),
        title: z.string(),
        content: z.string().optional(),
        scheduleTime: z.string(),
        at: z.string().optional(),
        createdAt: z.string(),
      }),
    ),
  })
  .refine(({ nextId, items }) => items.every(({ id }) => id < nextId), "nextId must be above every id")
  .refine(({ items }) => new Set(items.map(({ id }) => id)).size === items.length, "ids must not repeat")

/** Reads a schedule; an empty one when there is no file. Throws `file`, naming the file, when it is not a schedule. */
export async function readSchedule(file: string): Promise<Schedule> {
  const text = await readText(file)
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

/** Replaces the whole file in one step. A missing folder is created. */
export async function writeSchedule(file: string, schedule: Schedule): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFileAtomic(file, `${JSON.stringify(schedule, undefined, 2)}\n`)
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return undefined
    throw new PromptStrataError("file", `The schedule cannot be read: ${messageOf(cause)}`, { cause, source: { file, line: 1 } })
  }
}
