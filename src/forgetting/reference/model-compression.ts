import { priority } from "../../core/priority.ts"
import type { Injection } from "../../core/value.ts"
import type { AskModel } from "../../services/background/background-job.ts"
import type { CompressionWriter } from "./compress.ts"

/** A {@link CompressionWriter} that asks a model with the prompt `compress`; what asking throws is thrown. */
export function modelCompressionWriter(ask: AskModel, { signal }: { readonly signal: AbortSignal }): CompressionWriter {
  return async (text, { topic, maxCharacters }) => {
    const data = [
      injection("message", { text, trust: "memory" }),
      injection("limit", { text: String(maxCharacters), trust: "author" }),
      injection("topic", { text: topic, trust: "user" }),
    ]
    return (await ask("compress", data, { signal })).text
  }
}

function injection(key: string, content: { readonly text: string; readonly trust: Injection["trust"] }): Injection {
  return { key, content, trust: content.trust, priority: priority.default, role: "system", scope: "turn", enabled: true }
}
