import type { ToolCall } from "../core/message.ts"
import type { Usage } from "./usage.ts"

/** Why a model stopped. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other"

/** One piece of a model's stream. */
export type ModelPart =
  | { readonly type: "text-delta"; readonly delta: string }
  | { readonly type: "reasoning-delta"; readonly delta: string }
  | { readonly type: "tool-call"; readonly call: ToolCall }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "finish"; readonly reason: FinishReason }
