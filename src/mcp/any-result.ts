import type { StandardSchemaV1 } from "@standard-schema/spec"

/** A result as it came, an object; what is in it is read piece by piece, so that one bad piece spoils nothing else. */
export const anyResult: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  "~standard": {
    version: 1,
    vendor: "promptstrata",
    validate: (value) => (isRecord(value) ? { value } : { issues: [{ message: "expected an object" }] }),
  },
}

/** True for what JSON calls an object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The value where it is a string. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}
