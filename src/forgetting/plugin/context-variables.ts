import { decayPresets } from "../../forgetting/decay.ts"
import type { VirtualContextSettings } from "./settings.ts"

/** The numbers of a virtual context as prompts can name them (R3). */
export function contextVariables({
  events: { keep },
  workspace: { decay },
  compression,
}: VirtualContextSettings): Readonly<Record<string, string>> {
  const { maxJumpMini, maxJumpLarge } = { ...decayPresets.workspace, ...decay }
  const numbers = {
    mini_full_context_count: compression.fullMessages,
    max_jump_mini: maxJumpMini,
    max_jump_large: maxJumpLarge,
    event_remember_years_times: keep.year,
    event_remember_months_times: keep.month,
    event_remember_weeks_times: keep.week,
    event_remember_days_times: keep.day,
    event_remember_times: keep.moment,
  }
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)]))
}
