import { PromptStrataError } from "../../core/errors.ts"
import type { EmbeddingModel } from "../embed.ts"

/** Embeds texts and checks what comes back: as many vectors as texts, of one length, of finite numbers; else `model` is thrown. */
export async function embedTexts(
  model: EmbeddingModel,
  texts: readonly string[],
  options: { readonly signal: AbortSignal },
): Promise<readonly Float32Array[]> {
  const vectors = (await model.embed(texts, options)).map((values) => Float32Array.from(values))
  const length = model.dimensions ?? vectors[0]?.length ?? 0
  const isSound = vectors.length === texts.length && length > 0
  if (isSound && vectors.every((values) => values.length === length && values.every(Number.isFinite))) return vectors
  throw new PromptStrataError(
    "model",
    `expected ${texts.length} vectors of ${length} finite numbers from ${model.id}, found ${vectors.length} of ${vectors[0]?.length ?? 0}.`,
    { evidence: { model: model.id } },
  )
}
