import { PromptStrataError } from "../../core/errors.ts"
import { connectionFault } from "./connection-fault.ts"
import { reportedFault, statusFault } from "./fault.ts"
import { recordOf } from "./json-access.ts"
import { modelError, type Target } from "./model-error.ts"

/** Anything the client or the reading of its stream threw, as an error of this library. */
export function toPromptStrataError(
  thrown: unknown,
  { target, begun }: { readonly target: Target; readonly begun: boolean },
): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  const { error } = recordOf(thrown)
  const fault =
    statusFault(thrown, Date.now()) ??
    (error === undefined || error === null ? connectionFault(thrown, begun || isBrokenJson(thrown)) : reportedFault(error))
  return modelError(fault, target)
}

/** An event of the stream was cut in half, or is no JSON at all. */
function isBrokenJson(thrown: unknown): boolean {
  return thrown instanceof SyntaxError
}
