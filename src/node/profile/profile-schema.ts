import { z } from "zod"
import { describeBounds, describeChoices, flagWords, scalarWords, textWords, valuesBeyondJson } from "../../profile/check-keys.ts"
import { inSnakeCase, type Key, type TextForm, type ValueType } from "../../profile/key.ts"
import { profileFileKeys } from "../../profile/profile-file-keys.ts"

/*
 * The zod schema of a profile's file, made from the declaration of its keys. The message of each issue completes "expected …": it
 * is a noun phrase.
 */

/** The key or table of each schema. They are in a registry of their own because `.meta()` copies each schema, which takes time. */
export const schemaKeys = z.registry<{ readonly of: Key | ValueType }>()

const anyTable = openTable("a table")

/** The whole file. Every key may be left out: it is inherited, or has its default (L9). */
export const profileFileSchema = schemaOf(profileFileKeys.type)

/** Checks the data of a profile's file. A file is checked once, so zod must not compile code for it, which takes longer. */
export function checkProfileFile(data: unknown): z.ZodSafeParseResult<unknown> {
  return profileFileSchema.safeParse(data, { jitless: true })
}

function keySchema(key: Key): z.ZodType {
  const schema = schemaOf(key.type).register(schemaKeys, { of: key })
  return key.presence === "required" ? schema : schema.optional()
}

function schemaOf(type: ValueType): z.ZodType {
  switch (type.kind) {
    case "number":
      return numberSchema(type)
    case "flag":
      return z.boolean({ error: flagWords })
    case "choice":
      return z.enum(type.choices, { error: describeChoices(type.choices) })
    case "text":
      return textSchema(type.form)
    case "scalar":
      return z.union([z.string(), z.boolean(), z.number()], { error: scalarWords })
    case "json":
      return openTable("a table").check(refuseBeyondJson)
    case "list":
      return z.array(schemaOf(type.of), { error: type.expected })
    case "map":
      return mapSchema(type)
    case "table":
      return tableSchema(type)
    case "code":
      return z.never()
  }
}

function numberSchema({ integer, min, max }: Extract<ValueType, { readonly kind: "number" }>): z.ZodType {
  const error = describeBounds({ kind: "number", integer, min, max })
  const number = (integer ? z.int({ error }) : z.number({ error })).min(min, { error })
  return max === undefined ? number : number.max(max, { error })
}

function textSchema(form: TextForm | undefined): z.ZodType {
  const text = z.string({ error: textWords })
  if (form === undefined) return text
  const { pattern, accepts, expected: error } = form
  const formed = text.regex(new RegExp(pattern, "u"), { error, abort: true })
  return accepts === undefined ? formed : formed.refine(accepts, { error })
}

function refuseBeyondJson({ value, issues }: z.core.ParsePayload): void {
  for (const { path, expected, found } of valuesBeyondJson(value)) {
    issues.push({ code: "custom", path: [...path], message: expected, input: found })
  }
}

/** With names, a table of them: editors complete the keys of an object, and not those of a record. */
function mapSchema({ of, names, expected }: Extract<ValueType, { readonly kind: "map" }>): z.ZodType {
  if (names === undefined) return z.record(z.string(), schemaOf(of), { error: expected })
  return strictTable(openTable(expected), () => names.map((name) => [name, schemaOf(of).optional()]))
}

function tableSchema(type: Extract<ValueType, { readonly kind: "table" }>): z.ZodType {
  const entries = () => Object.entries(type.keys).map(([name, key]) => [inSnakeCase(name), keySchema(key)] as const)
  return strictTable(anyTable, entries).register(schemaKeys, { of: type })
}

/**
 * A table without other keys. Its keys are made when it is first needed: most profiles have few of the tables. `z.strictObject`
 * alone would take a date for a table without keys.
 */
function strictTable(table: z.ZodType, entries: () => (readonly [string, z.ZodType])[]): z.ZodType {
  return table.pipe(z.lazy(() => z.strictObject(Object.fromEntries(entries()))))
}

function openTable(error: string) {
  return z.record(z.string(), z.unknown(), { error })
}
