import type { ModelTool } from "../model/language-model.ts"
import type { Tool } from "../tools/tool.ts"

/** Planner tools under names that every provider takes, and the way back. */
export interface NativeTools {
  readonly tools: readonly ModelTool[]
  /** The tool's own name, or the name as it came when no tool has it. */
  nameOf(nativeName: string): string
  /** The native form of a tool's own name. */
  nativeNameOf(name: string): string
}

const maxNameLength = 64

/** Providers take letters, digits, `_` and `-` only; other names get a legal one that no other tool has. */
export function nativeTools(tools: readonly Tool[]): NativeTools {
  const taken = new Set(tools.map(({ name }) => name).filter(isLegal))
  const nativeNames = new Map<string, string>()
  for (const { name } of tools) {
    const native = isLegal(name) ? name : unused(name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength - 4), taken)
    taken.add(native)
    nativeNames.set(name, native)
  }
  const names = new Map([...nativeNames].map(([name, native]) => [native, name]))
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({ name: nativeNames.get(name) ?? name, description, inputSchema })),
    nameOf: (native) => names.get(native) ?? native,
    nativeNameOf: (name) => nativeNames.get(name) ?? name,
  }
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
