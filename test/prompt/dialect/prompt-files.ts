import type { PromptSource } from "../../../src/prompt/dialect/prompt-source.ts"

/** Prompt files from `path: body`, without front matter. */
export function promptFiles(bodies: Readonly<Record<string, string>>): PromptSource[] {
  return Object.entries(bodies).map(([path, body]) => promptFile(path, body))
}

/** One prompt file. */
export function promptFile(path: string, body: string, attributes: Record<string, unknown> = {}): PromptSource {
  return { path, attributes, body, firstLine: Object.keys(attributes).length === 0 ? 1 : Object.keys(attributes).length + 3 }
}
