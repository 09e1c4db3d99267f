import type { Assembly } from "../core/span.ts"
import { formatAssembly } from "./format-assembly.ts"

/**
 * A snapshot serializer for vitest and Jest that writes an assembly as Markdown:
 * `expect.addSnapshotSerializer(promptSerializer)`, then `expect(assembly).toMatchFileSnapshot("prompt.md")`.
 */
export const promptSerializer: {
  test(value: unknown): boolean
  serialize(value: unknown): string
} = {
  test: isAssembly,
  serialize: (value) => formatAssembly(value as Assembly),
}

function isAssembly(value: unknown): value is Assembly {
  if (typeof value !== "object" || value === null) return false
  const { version, messages, spans } = value as Partial<Record<string, unknown>>
  return version === 1 && Array.isArray(messages) && Array.isArray(spans)
}
