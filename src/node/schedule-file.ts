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
  /** As it was given, in any words. */
  readonly scheduleTime: string
  /** The moment meant, where the words were a date. */
  readonly at?: string | undefined
  readonly createdAt: string
}

/** The whole file. Ids only grow: `nextId` stays when items go. */
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

/** The schedule of a file; an empty one where there is no file. What cannot be read as one throws `file`, naming the file. */
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
      hint: "It was left as it is. Mend it, or move it away to begin a new one.",
    })
  }
}

/** Replaces the file at once, or not at all; makes its folder where it is missing. */
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
