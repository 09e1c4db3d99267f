import { z } from "zod"
import { PromptStrataError } from "../../core/errors.ts"
import { didYouMean } from "../../core/suggest.ts"
import { hasLineBreak } from "../../encode/line-breaks.ts"

const isReference = (value: unknown): value is string => typeof value === "string" && value.trim() !== "" && !hasLineBreak(value)

const reference = z.custom<string>(isReference, { error: "a character's name or a file" })

const sheet = z.union([reference, z.record(z.string(), z.unknown())], {
  error: "a character's name, a file, or a table of names and values",
})

const count = (least: number, most: number) => {
  const error = `a whole number from ${least} to ${most}`
  return z.int({ error }).min(least, { error }).max(most, { error })
}

const schema = z.strictObject({
  state: sheet.optional(),
  relationship: sheet.optional(),
  reaction_plan: reference.optional(),
  world_book: reference.optional(),
  world_book_entries: count(1, 100).default(8),
  world_book_characters: count(1, 100_000).default(4_000),
  world_book_messages: count(0, 100).default(4),
})

/**
 * `[plugins.options.character]`, checked. Of `state` and `relationship` a table is the traits themselves; everything else is the
 * name of a character, whose files lie in `characters/LOCALE/NAME/`, or a path relative to the profile.
 */
export type CharacterOptions = z.infer<typeof schema>

/** Checks the options. Throws `plugin` with all that is wrong with them. */
export function characterOptions(given: Readonly<Record<string, unknown>>): CharacterOptions {
  const { success, data, error } = schema.safeParse(given)
  if (success) return data
  const problems = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map(unknownKey)
      : [`${issue.path.join(".")}: expected ${issue.message}, found ${shown(given[String(issue.path[0])])}.`],
  )
  throw new PromptStrataError("plugin", problems.join("\n"))
}

function unknownKey(key: string): string {
  const known = Object.keys(schema.shape)
  return `unknown option ${JSON.stringify(key)} of the plugin "character".${didYouMean(key, known) || ` Known: ${known.join(", ")}.`}`
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 80)
}
