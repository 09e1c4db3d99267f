import { messageOf, PromptStrataError } from "../../core/errors.ts"

/** The moments of a cron pattern in a time zone, in milliseconds since 1970. */
export interface CronTimes {
  /** The first after `ms`; undefined where there is none any more. */
  after(ms: number): number | undefined
}

/**
 * Reads a pattern of five or six fields. Local times that a change of the clocks leaves out come an hour later, those that it
 * repeats come once. Throws `usage` for a bad pattern or an unknown time zone.
 */
export async function cronTimes(pattern: string, timeZone: string): Promise<CronTimes> {
  const { Cron } = await import("croner")
  try {
    const cron = new Cron(pattern, { paused: true, timezone: timeZone, mode: "5-or-6-parts" })
    cron.nextRun(new Date(0))
    return { after: (ms) => cron.nextRun(new Date(ms))?.getTime() }
  } catch (cause) {
    throw new PromptStrataError(
      "usage",
      `expected a cron pattern and a time zone, found ${JSON.stringify(pattern)} in ${JSON.stringify(timeZone)}: ${messageOf(cause)}`,
      {
        hint: 'Such as "0 8 * * 1-5" in "Asia/Shanghai".',
        cause,
      },
    )
  }
}
