import { messageOf } from "../../core/errors.ts"
import { recordOf, stringOf } from "../openai/json-access.ts"

/** A provider's warning, of any of the three specifications, in words for people. */
export function warningText(warning: unknown): string {
  const { type, feature, setting, tool, details, message } = recordOf(warning)
  const what = stringOf(feature) || stringOf(setting) || stringOf(recordOf(tool).name)
  const why = stringOf(details) || stringOf(message)
  if (what === "") return why || messageOf(warning)
  const headline = `${what} ${type === "deprecated" ? "is deprecated" : type === "compatibility" ? "is emulated" : "is not supported"}`
  return why === "" ? `${headline}.` : `${headline}: ${why}`
}
