/**
 * Makes embeddings. An AI SDK embedding model fits in two lines: `{ id: model.modelId, embed: async (texts, { signal }) =>
 * (await embedMany({ model, values: [...texts], abortSignal: signal })).embeddings }`.
 */
export interface EmbeddingModel {
  /** Kept with every vector; vectors of two models are never compared. */
  readonly id: string
  /** Vectors of another length are refused; default: whatever comes. */
  readonly dimensions?: number
  /** One vector for each text, in their order. */
  embed(
    texts: readonly string[],
    options: { readonly signal: AbortSignal },
  ): Promise<readonly (readonly number[] | Float32Array)[]>
}
