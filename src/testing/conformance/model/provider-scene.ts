import type { LanguageModel } from "../../../model/language-model.ts"
import type { FinishReason } from "../../../model/model-part.ts"
import type { Usage } from "../../../model/usage.ts"

/** One thing that a provider does while it answers a request, whatever its wire format. */
export type ProviderHappening =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** `args` are the pieces of its JSON text; a format that streams arguments sends each piece on its own. */
  | { readonly type: "tool-call"; readonly id: string; readonly name: string; readonly args: readonly string[] }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason }
  /** The connection breaks. */
  | { readonly type: "cut" }
  /** Nothing more comes until the client leaves. */
  | { readonly type: "stall" }
  /** An error status with these words instead of an answer; always alone. */
  | { readonly type: "status"; readonly status: number; readonly message: string; readonly retryAfterMs?: number }

/** What one request gets, in order. A script that does not end in a cut, a stall or a status ends as the format does. */
export type ProviderScript = readonly ProviderHappening[]

/** What one check asks of the caller: a provider that plays scripts, and a model in front of it. */
export interface ProviderScene {
  /** What each request gets, in order of arrival. */
  readonly scripts: readonly ProviderScript[]
  /** The key to make the model with, and what the provider's words may repeat. It must appear in no error. */
  readonly secret: string
  /** Whether the model is made with native tools. */
  readonly tools: boolean
  /** To be called with each request's body as it reaches the provider: its text, or data that JSON can hold. */
  readonly onRequest: (body: unknown) => void
}

/** A model whose provider plays a scene, and what takes both down. */
export interface PlayedModel {
  readonly model: LanguageModel
  close?(): void | Promise<void>
}

/** Sets a scene up: starts a provider that plays it and makes a model that talks to it. */
export type PlayProvider = (scene: ProviderScene) => PlayedModel | Promise<PlayedModel>

/** The key that every scene's model is made with; shaped like a key, so that it is told apart from words. */
export const conformanceSecret = "sk-conformance-0123456789abcdef"
