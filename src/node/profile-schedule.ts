import { cronTimes } from "../agent/schedule/due-times.ts"
import { nearestWith } from "./profile-chain.ts"
import { type ProfileSearch, report } from "./profile-search.ts"

/** Reports a `[memory] reflect_schedule` that is no cron pattern, before the first reflection would find out. */
export async function checkReflectSchedule(search: ProfileSearch): Promise<void> {
  const document = nearestWith(search.chain, "memory", "reflect_schedule")
  const pattern = document?.data.memory?.reflect_schedule
  if (document === undefined || pattern === undefined) return
  try {
    // In a zone that exists: a bad one is reported by its own name.
    await cronTimes(pattern, "UTC")
  } catch {
    const message = `expected a cron pattern such as "0 4 * * *", found ${JSON.stringify(pattern)}`
    report(search, { document, path: ["memory", "reflect_schedule"] }, { message })
  }
}
