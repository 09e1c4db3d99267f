import type { TurnContext } from "./turn-context.ts"

/** How planning ended: with the answer already shown, or with a final output to be made. */
export type PlanOutcome =
  | { readonly type: "answered"; readonly truncated: boolean }
  | { readonly type: "final"; readonly stopReason: "finish" | "max-steps" | "repeated-call" }

/** One way of planning a turn: JSON decisions, native tool calls, or plain talk. */
export type Planner = (turn: TurnContext) => Promise<PlanOutcome>

export type PlanningMode = "json" | "native" | "chat"
