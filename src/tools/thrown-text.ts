import { messageOf } from "../core/errors.ts"

/** What a thrown thing says about itself, as {@link messageOf}, also for things that throw when looked at. */
export function thrownText(thrown: unknown): string {
  try {
    return String(messageOf(thrown))
  } catch {
    return "unknown"
  }
}
