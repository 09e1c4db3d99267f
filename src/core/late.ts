import type { Words } from "./check-options.ts"
import { messageOf, PromptStrataError } from "./errors.ts"

/** Makes something at its first use, and again at the next use after a failure. */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let making: Promise<T> | undefined
  return () => {
    making ??= make().catch((error: unknown) => {
      making = undefined
      throw error
    })
    return making
  }
}

/**
 * Loads code when it is first used, so that a program that needs the rest alone does not load it. Throws `missing-dependency` if that
 * fails. The next use then tries again.
 */
export function late<T>(load: () => Promise<T>): () => Promise<T> {
  return onDemand(() =>
    load().catch((cause: unknown) => {
      throw new PromptStrataError("missing-dependency", `A part of promptstrata could not be loaded: ${messageOf(cause)}`, {
        cause,
        hint: "If promptstrata was updated or moved meanwhile, start the program again.",
      })
    }),
  )
}

/**
 * Methods of an object that is loaded with the first call of one of them. `names` are the words of a text. `copy` copies a first argument
 * that the caller may change during that wait.
 */
export function lateMethods<T extends object, const Names extends string>(
  load: () => Promise<T>,
  names: Names & (Words<Names> extends keyof T ? unknown : never),
  copy?: (given: never) => unknown,
): Pick<T, Words<Names> & keyof T> {
  const methods = names.split(" ").map((name) => {
    const method = async (...called: readonly unknown[]): Promise<unknown> => {
      const given = copy ? [copy(called[0] as never), ...called.slice(1)] : called
      const loaded = (await load()) as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
      return loaded[name]?.(...given)
    }
    return [name, method]
  })
  return Object.fromEntries(methods) as Pick<T, Words<Names> & keyof T>
}
