import { readDecision } from "../reply/decision-reader.ts"

/** A native call's arguments; `fault` where their meaning is lost. */
export interface NativeArguments {
  readonly args: Readonly<Record<string, unknown>>
  readonly fault?: string
}

/** Reads the JSON text of a native call's arguments by the same ladder as a decision's (T21); nothing at all is no arguments. */
export function readNativeArguments(text: string): NativeArguments {
  if (text.trim() === "") return { args: {} }
  const decision = readDecision(`{"action":"tool","tool":"native","args":${text}}`)
  if (decision.action === "tool" && decision.tool === "native") return { args: decision.args }
  const fault = decision.action === "unreadable" ? decision.fault.kind : "not-json"
  return { args: {}, fault: `arguments: ${fault} ${JSON.stringify(text.slice(0, 80))}` }
}
