import type { ModelTool } from "../../model/language-model.ts"

/** A parameter of a tool, as far as its schema says. */
export interface Parameter {
  readonly name: string
  readonly description: string
  readonly type: unknown
  /** The values of an enum; none for any other. */
  readonly options: readonly unknown[]
  readonly required: boolean
}

/** The parameters of a tool, whatever its schema holds. */
export function parametersOf({ inputSchema }: ModelTool): readonly Parameter[] {
  const required: readonly unknown[] = Array.isArray(inputSchema.required) ? inputSchema.required : []
  return Object.entries(recordOf(inputSchema.properties)).map(([name, schema]) => {
    const { description, type, enum: options } = recordOf(schema)
    return {
      name,
      description: typeof description === "string" ? description : "",
      type,
      options: Array.isArray(options) ? options : [],
      required: required.includes(name),
    }
  })
}

/** What to call a parameter when asking a person for it. */
export function shownName({ name, description }: Parameter): string {
  // What follows is advice to a model: examples, formats.
  const [first = ""] = description.split(/[，,；;。(（]/)
  return first.trim() === "" ? name : first.trim()
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}
