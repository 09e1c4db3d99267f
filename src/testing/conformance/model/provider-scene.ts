import type { FinishReason, LanguageModel, Usage } from "../../../core/model/language-model.ts"

/** One action of a provider while it answers a request, independent of the wire format. */
export type ProviderHappening =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** `args` are the pieces of the call's JSON text. A format that streams arguments sends each piece on its own. */
  | { readonly type: "tool-call"; readonly id: string; readonly name: string; readonly args: readonly string[] }
  /** The provider sends a file that the model made, whole. */
  | { readonly type: "file"; readonly mediaType: string; readonly base64: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason }
  /** The connection breaks. */
  | { readonly type: "cut" }
  /** Nothing more comes until the client leaves. */
  | { readonly type: "stall" }
  /** An error status with this message instead of an answer. It is always the only action of its script. */
  | { readonly type: "status"; readonly status: number; readonly message: string; readonly retryAfterMs?: number }

/** The actions for one request, in order. After the last one the stream ends normally, except after a cut, stall or status. */
export type ProviderScript = readonly ProviderHappening[]

/** The set-up of one check: a provider that plays scripts, and a model that talks to it. */
export interface ProviderScene {
  /** A script for each request, in order of arrival. */
  readonly scripts: readonly ProviderScript[]
  /** The API key for the model. The provider's messages may repeat it; no error may. */
  readonly secret: string
  /** True if the model has native tools. */
  readonly tools: boolean
  /** Call this with the body of each request that reaches the provider: its text, or JSON data. */
  readonly onRequest: (body: unknown) => void
}

/** A model whose provider plays a scene. `close` ends both. */
export interface PlayedModel {
  readonly model: LanguageModel
  close?(): void | Promise<void>
}

/** Starts a provider that plays the scene, and creates a model that talks to it. */
export type PlayProvider = (scene: ProviderScene) => PlayedModel | Promise<PlayedModel>

/** The API key of every scene's model. It has the shape of a key, so that redaction finds it. */
export const conformanceSecret = "sk-conformance-0123456789abcdef"
