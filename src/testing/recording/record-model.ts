import { checkOptions, checkType } from "../../core/check-options.ts"
import type { LanguageModel, ModelPart } from "../../core/model/language-model.ts"
import { type FindSecrets, hostSecrets } from "../../core/secrets/find-secrets.ts"
import { redacted, redactPieces, redactText } from "../../core/secrets/redact.ts"
import { createKeyedQueue } from "../../memory/services/keyed-queue.ts"
import { type Exchange, nodeModules, type RecordedEnd, recordedError, recordedRequest, writeRecording } from "./recording.ts"

/** Settings of `recordModel` and `replayModel`. */
export interface RecordingOptions {
  /** Texts that must not be in the file. The file has `[secret]` in their place, and in place of everything that looks like a key. */
  readonly secrets?: readonly string[]
}

/**
 * Wraps a model so that every request and its answer are written to a file of JSON lines, which `replayModel` reads. The file
 * is complete whenever a stream has ended; an existing file is replaced. Keys, `Authorization` values, values of secret-looking
 * environment variables and `secrets` are never written. Needs `node:fs`.
 */
export function recordModel(model: LanguageModel, file: string, options: RecordingOptions = {}): LanguageModel {
  checkType("the model of recordModel", model, "object")
  checkOptions("recordModel", options, "secrets")
  const find = hostSecrets(options.secrets)
  const redact = (text: string) => redactText(text, find)
  const exchanges: (Exchange | undefined)[] = []
  const writing = createKeyedQueue()
  const save = () =>
    writing.enqueue(file, () => {
      const done = exchanges.filter((exchange) => exchange !== undefined)
      return write(file, writeRecording({ model: redact(model.id), capabilities: model.capabilities, exchanges: done }))
    })
  return {
    id: model.id,
    capabilities: model.capabilities,
    async *stream(request, { signal }) {
      // No request is sent, so there is nothing to record.
      if (signal.aborted) return yield* model.stream(request, { signal })
      const at = exchanges.push(undefined) - 1
      const sent = recordedRequest(request, redact)
      const parts: ModelPart[] = []
      let end: RecordedEnd = { type: "stopped" }
      try {
        for await (const part of model.stream(request, { signal })) {
          parts.push(part)
          yield part
        }
        end = { type: "whole" }
      } catch (thrown) {
        if (!signal.aborted) end = { type: "failed", error: recordedError(thrown, redact) }
        throw thrown
      } finally {
        exchanges[at] = { request: sent, parts: redactParts(parts, find), end }
        await save()
      }
    },
  }
}

/** Replaces the secrets in the parts of a stream, also those that are split over several deltas. The number of parts stays. */
function redactParts(parts: readonly ModelPart[], find: FindSecrets): readonly ModelPart[] {
  const deltasOf = (type: ModelPart["type"]) =>
    redactPieces(
      parts.flatMap((part) => ("delta" in part && part.type === type ? [part.delta] : [])),
      find,
    ).values()
  const deltas = { "text-delta": deltasOf("text-delta"), "thinking-delta": deltasOf("thinking-delta") }
  return parts.map((part) => {
    // A part of base64 that looks like a key is none, and without it the file would be damaged.
    if (part.type === "file") return part
    if ("delta" in part) return { type: part.type, delta: deltas[part.type].next().value ?? "" }
    return { ...redacted(part, find), type: part.type } as ModelPart
  })
}

async function write(file: string, text: string): Promise<void> {
  const { files, path } = nodeModules()
  await files.mkdir(path.dirname(file), { recursive: true })
  await files.writeFile(file, text)
}
