import { messageOf, PromptStrataError } from "../core/errors.ts"

let loop: Promise<typeof import("./session-turn.ts")> | undefined

/**
 * Loads the loop with the first turn or preview: who imports the library for its prompts alone does not pay for it. Where that fails it throws
 * `missing-dependency`, and the next turn tries again.
 */
export function loadLoop() {
  loop ??= import("./session-turn.ts").catch((cause: unknown) => {
    loop = undefined
    throw new PromptStrataError("missing-dependency", `The code that runs turns could not be loaded: ${messageOf(cause)}`, {
      cause,
      hint: "If promptstrata was updated or moved while this program ran, start the program again.",
    })
  })
  return loop
}
