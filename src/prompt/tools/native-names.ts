import type { Tool } from "./tool.ts"

/** Names for tools that every provider accepts. */
export interface NativeNames {
  /** Equal for equal lists of tools. */
  readonly key: string
  /** The tool's name for providers; for a tool that is not in the list, one that none of them has. */
  of(name: string): string
}

const maxNameLength = 64

/**
 * Gives each tool a name for providers, which accept only letters, digits, `_` and `-`. A tool with another name gets one that no other
 * tool has.
 */
export function nativeNames(tools: readonly Pick<Tool, "name">[]): NativeNames {
  const taken = new Set(tools.map(({ name }) => name).filter(isLegal))
  const made = new Map<string, string>()
  const nameFor = (name: string): string =>
    isLegal(name) ? name : unused(name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength - 4), taken)
  for (const { name } of tools) {
    const native = nameFor(name)
    taken.add(native)
    made.set(name, native)
  }
  return { key: JSON.stringify([...made.keys()]), of: (name: string) => made.get(name) ?? nameFor(name) }
}

function isLegal(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

function unused(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 && name !== "" ? name : `${name}_${number}`
    if (!taken.has(candidate)) return candidate
  }
}
