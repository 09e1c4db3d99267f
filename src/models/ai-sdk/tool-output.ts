import { messageOf } from "../../core/errors.ts"
import { listOf, recordOf, stringOf } from "../openai/json-access.ts"

/** What `toModelOutput` of the package `ai` made, as a tool's result here; throws what it says went wrong. */
export function readToolOutput(output: unknown): unknown {
  const { type, value, reason } = recordOf(output)
  switch (type) {
    case "text":
    case "json":
      return value
    case "error-text":
    case "error-json":
      throw new Error(messageOf(value))
    case "execution-denied":
      throw new Error(stringOf(reason) || type)
    case "content":
      return { content: listOf(value).map(contentPart) }
    default:
      return output
  }
}

/** Text stands as it is; files are named without their data. */
function contentPart(part: unknown): unknown {
  const { type, text, mediaType, filename } = recordOf(part)
  return type === "text" ? { type, text } : { type: stringOf(type), mediaType, filename }
}
