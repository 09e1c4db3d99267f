import type { Entry, Text } from "../core/value.ts"
import { encodeInline } from "../encode/inline.ts"
import { encodedText } from "../encode/marked-text.ts"
import { sanitiseJson } from "../encode/sanitise.ts"
import { type ParameterWords, printParameters } from "./print-parameters.ts"
import type { Tool } from "./tool.ts"

/**
 * A tool as an entry of a dialect's `tools.md` (T9, L6): `name`, `description`, `parameters`, `hint`, the last two `""`
 * where there are none. Texts carry the tool's trust; `parameters` of a wire tool is encoded piece by piece already.
 */
export function toolEntry(tool: Tool, words: ParameterWords): Entry {
  const { trust } = tool
  const parameters =
    trust === "author" ? encodedText(printParameters(tool.inputSchema, words), trust) : wireParameters(tool, words)
  return {
    name: { text: tool.name, trust },
    description: { text: tool.description, trust },
    parameters,
    hint: { text: tool.usageHint ?? "", trust },
  }
}

/** A schema from outside is cleaned and encoded name by name. */
function wireParameters({ inputSchema, trust }: Tool, words: ParameterWords): Text {
  const { value, ...removed } = sanitiseJson(inputSchema)
  return encodedText(printParameters(value, words, encodeInline), trust, removed)
}
