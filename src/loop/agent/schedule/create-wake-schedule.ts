import { checkOptions } from "../../../core/check-options.ts"
import { loadAside } from "../borders/load-aside.ts"
import { checkTrust } from "../session-options.ts"
import type { WakeSchedule, WakeScheduleOptions } from "./wake-schedule.ts"

/**
 * Wakes sessions by a schedule (R27). If several moments were missed, for example while the machine slept, they give one turn. A session
 * whose last turn of this schedule still runs is left out. Throws `usage` for a bad pattern, time zone or quiet hours.
 */
export async function createWakeSchedule(options: WakeScheduleOptions): Promise<WakeSchedule> {
  checkOptions("createWakeSchedule", options, "sessions cron timeZone quietHours reason trust to onTurn onWarning clock timers")
  checkOptions("quietHours of createWakeSchedule", options.quietHours ?? {}, { from: true, to: true })
  checkTrust("createWakeSchedule", options.trust)
  // Loaded when first used: few programs wake sessions by a schedule, and all of them load this file.
  const { runWakeSchedule } = await loadAside()
  return runWakeSchedule(options)
}
