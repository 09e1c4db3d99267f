import type { ErrorCode } from "../../core/errors.ts"
import type { ModelCapabilities, ModelRequest } from "../../model/language-model.ts"
import type { ModelPart } from "../../model/model-part.ts"

/** The part of a request that is sent: what a recording keeps, and what a replay compares. */
export type RecordedRequest = Pick<ModelRequest, "messages" | "tools" | "responseFormat" | "maxOutputTokens" | "temperature">

/** What a stream threw. Without a code it was no error of this library. */
export interface RecordedError {
  readonly code?: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly evidence?: Readonly<Record<string, unknown>>
}

/**
 * How a stream ended: whole; with an error; or because the reader stopped it, by its signal or by leaving, while the model
 * would have gone on.
 */
export type RecordedEnd =
  | { readonly type: "whole" }
  | { readonly type: "failed"; readonly error: RecordedError }
  | { readonly type: "stopped" }

/** One request and what came of it, part by part as it came. */
export interface Exchange {
  readonly request: RecordedRequest
  readonly parts: readonly ModelPart[]
  readonly end: RecordedEnd
}

/** A conversation with a model. */
export interface Recording {
  readonly model: string
  readonly capabilities: ModelCapabilities
  /** In order of the requests. */
  readonly exchanges: readonly Exchange[]
}

/** The version of the file format that is written, and the only one that is read. */
export const recordingVersion = 1
