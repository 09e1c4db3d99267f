import type { ServiceKey } from "../../core/conversation.ts"
import { graphemeBoundaryBefore } from "../../core/graphemes.ts"
import { type FitRule, priority } from "../../core/value.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import { knownRelation } from "./memory/fact-relation.ts"
import type { ProfileStatement } from "./store/records.ts"
import type { BeforeTurnContext } from "./turn-hook.ts"

/** A user's profile. Of several statements of one field, the newest holds unless it says that the field has ended; the others are history. */
export interface UserProfile {
  /** Grows by one with every change; 0 for an unknown user. */
  readonly version: number
  /** The statements that hold, ordered by name. */
  readonly fields: readonly ProfileStatement[]
  /** The statements that no longer hold, newest first. */
  readonly history: readonly ProfileStatement[]
}

/** Keeps what users say about themselves. Both methods may be called concurrently, also for one user. */
export interface UserProfileService {
  /** The part of the profile that may be shown to this key: in a group, only what was said in that group. */
  get(key: ServiceKey): Promise<UserProfile>
  /**
   * Adds the statements of one turn. Throws `version-conflict`, and changes nothing, if the user's version is not `expectVersion`; the
   * caller then loads the profile again. If the turn's statements are there already, `applied` is false and nothing changes. Background
   * work passes `ofTurn`: then nothing must be kept if the turn was forgotten meanwhile ({@link UserRecords.append}).
   */
  put(
    statements: readonly ProfileStatement[],
    expectVersion: number,
    key: ServiceKey,
    options?: { readonly ofTurn?: boolean },
  ): Promise<{ readonly version: number; readonly applied: boolean }>
}

const maxValueCharacters = 200
const msPerDay = 86_400_000

/**
 * Prints the fields that hold in at most `maxCharacters`, one line for each, the newest and most certain first. If not all fit, these are
 * printed. A long value is cut between graphemes.
 */
export function userProfileText({ fields }: { readonly fields: readonly ProfileStatement[] }, maxCharacters: number): string {
  return printed(fields, maxCharacters).text
}

/** The text of {@link userProfileText} and the fields that are shortened or left out. */
function printed(fields: readonly ProfileStatement[], maxCharacters: number) {
  const ranked = [...fields].sort((a, b) => worth(b) - worth(a) || (a.name < b.name ? -1 : 1))
  const most = Math.min(maxValueCharacters, maxCharacters)
  const lines: string[] = []
  const cut = new Set<ProfileStatement>()
  let left = maxCharacters + 1
  for (const field of ranked) {
    const whole = `${onOneLine(field.name)}: ${onOneLine(field.value)}`
    const line = whole.length <= most ? whole : `${whole.slice(0, graphemeBoundaryBefore(whole, Math.max(0, most - 1)))}…`
    const needed = line.length + 1
    if (needed > left || line !== whole) cut.add(field)
    if (needed > left) continue
    lines.push(line)
    left -= needed
  }
  return { text: lines.join("\n"), cut }
}

/** The rank of a field: one day of age counts as much as a hundredth of confidence. */
function worth({ atMs, confidence }: ProfileStatement): number {
  return atMs / msPerDay + confidence * 100
}

/** It is cut after memories, because it is short and says more. */
const fit: FitRule = { rank: 45, shrink: "entries" }

/** Shows what is known about the speaker in a turn. */
export function showUserProfile(
  fields: readonly ProfileStatement[],
  maxCharacters: number,
  { speaker, stack, warn }: Pick<BeforeTurnContext, "speaker" | "stack" | "warn">,
): void {
  const { text, cut } = printed(fields, maxCharacters)
  if (cut.size > 0) {
    const names = fields.flatMap((field) => (cut.has(field) ? [onOneLine(field.name)] : []))
    warn(
      `Of ${fields.length} facts about the user, ${cut.size} are shortened or left out of the prompt: ${names.join(", ")}. All have ${maxCharacters} characters (memory.profileCharacters), each at most ${maxValueCharacters}.`,
    )
  }
  if (text === "") return
  const content = [{ speaker: { text: speaker.name, trust: "user" as const }, text: { text, trust: "memory" as const } }]
  stack.add({ key: "user_profile", content, trust: "memory", priority: priority.characterMemories, scope: "turn", fit })
}

/** The field that a name means: names of one relation are one. A `job` is a field of its own, since it may be an occupation. */
export function fieldName(name: string): string {
  const normal = plainName(name)
  return /^(?:job|work|工作)$/.test(normal) ? normal : (knownRelation(normal) ?? normal)
}

const plainName = (name: string): string => name.normalize("NFKC").trim().toLowerCase()

/** Splits statements, given in the order in which they came, into those that hold and history. Of equal times, the later one is newer. */
export function splitByAge(statements: readonly ProfileStatement[]): {
  readonly fields: readonly ProfileStatement[]
  readonly history: readonly ProfileStatement[]
} {
  const newest = new Map<string, ProfileStatement>()
  for (const statement of statements) {
    const name = fieldName(statement.name)
    const held = newest.get(name)
    if (held === undefined || statement.atMs >= held.atMs) newest.set(name, statement)
  }
  const holding = [...newest.values()].filter(({ ended }) => ended !== true)
  const fields = holding.sort((a, b) => (plainName(a.name) < plainName(b.name) ? -1 : 1))
  if (fields.length === statements.length) return { fields, history: [] }
  const current = new Set(fields)
  const history = statements.filter((statement) => !current.has(statement))
  return { fields, history: history.reverse().sort((a, b) => b.atMs - a.atMs) }
}
