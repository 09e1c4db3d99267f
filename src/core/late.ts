import { messageOf, PromptStrataError } from "./errors.ts"

/**
 * Loads code when it is first used, so that a program that needs the rest alone does not load it. Throws `missing-dependency` if that
 * fails. The next use then tries again.
 */
export function late<T>(load: () => Promise<T>): () => Promise<T> {
  let code: Promise<T> | undefined
  return () => {
    code ??= load().catch((cause: unknown) => {
      code = undefined
      throw new PromptStrataError("missing-dependency", `A part of promptstrata could not be loaded: ${messageOf(cause)}`, {
        cause,
        hint: "If promptstrata was updated or moved while this program ran, start the program again.",
      })
    })
    return code
  }
}
