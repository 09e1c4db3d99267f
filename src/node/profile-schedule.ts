import { cronTimes } from "../agent/schedule/cron.ts"
import { messageOf } from "../core/errors.ts"
import { nearestWith } from "./profile-chain.ts"
import type { ProfileFile } from "./profile-schema.ts"
import { type ProfileSearch, report } from "./profile-search.ts"

/** Reports a `[memory] reflect_schedule` that is no cron pattern, before the first reflection would find out. */
export async function checkReflectSchedule(search: ProfileSearch, { time_zone }: ProfileFile): Promise<void> {
  const document = nearestWith(search.chain, "memory", "reflect_schedule")
  const pattern = document?.data.memory?.reflect_schedule
  if (document === undefined || pattern === undefined) return
  try {
    await cronTimes(pattern, time_zone ?? "UTC")
  } catch (error) {
    report(search, { document, path: ["memory", "reflect_schedule"] }, { message: messageOf(error) })
  }
}
