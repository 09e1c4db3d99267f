import { z } from "zod"
import type { JsonSchema } from "../tools/tool.ts"
import { profileFileSchema } from "./profile-schema.ts"

/** A piece of the profile's schema as data, with `otherwise`: the default in words. */
export interface DescribedSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly otherwise?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: DescribedSchema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, DescribedSchema>>
  readonly additionalProperties?: DescribedSchema | boolean
}

/** The schema of a profile's file with everything that is known of each key, for pages about it. */
export function describedProfileSchema(): DescribedSchema {
  // Draft 7 is what editors' TOML extensions read.
  return z.toJSONSchema(profileFileSchema, { target: "draft-7", io: "input" }) as DescribedSchema
}

/** JSON Schema (draft 7) of a profile's TOML file, for editors: types, bounds, defaults and a description of every key. */
export function profileJsonSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(profileFileSchema, {
    target: "draft-7",
    io: "input",
    override({ jsonSchema }) {
      const { otherwise, description } = jsonSchema
      // What zod writes for a whole number without an upper bound.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (typeof otherwise !== "string") return
      delete jsonSchema.otherwise
      jsonSchema.description = `${description} Default: ${otherwise}.`
    },
  })
  return { $schema, title: "promptstrata profile", ...schema }
}
