import { isRecord, parsedJson } from "../../../core/json-access.ts"
import type { DecisionFault } from "../../../reply/decision.ts"
import { readDecision } from "../../../reply/decision-reader.ts"
import { exactArguments, type NativeArguments } from "./exact-arguments.ts"

/**
 * Reads the JSON text of a native call's arguments, repaired as a decision is (T21). Arguments that may be unfinished are
 * unreadable, because a part of them can look whole: `{"amount":10` may be the beginning of 1000. If the model was cut off
 * (`isWhole` is false), only a JSON object that needs no repair is read; nothing at all is no sign of a whole call then.
 */
export function readNativeArguments(text: string, isWhole: boolean): NativeArguments {
  const exact = exactArguments(text)
  if (exact) return exact
  const opening = '{"action":"tool","tool":"native","args":'
  const decision = readDecision(text.trim() === "" ? `${opening}{}}` : `${opening}${text}}`)
  if (decision.action !== "tool" || decision.tool !== "native") {
    const kind = decision.action === "unreadable" ? decision.fault.kind : "not-json"
    return unreadable(text, kind)
  }
  const isExact = decision.status === "complete"
  if (!isWhole && (!isExact || !isRecord(parsedJson(text)))) return unreadable(text, "unterminated")
  // The brace that was added above may stand in for the one that the arguments lack.
  if (!isExact && readDecision(`${opening}${text}`).action === "unreadable") return unreadable(text, "unterminated")
  return { args: decision.args, repeatedName: decision.repeatedName }
}

function unreadable(text: string, kind: DecisionFault["kind"]): NativeArguments {
  return {
    args: {},
    fault: { unfinished: kind === "unterminated", issues: `arguments: ${kind} ${JSON.stringify(text.slice(0, 80))}` },
  }
}
