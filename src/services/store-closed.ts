import { PromptStrataError } from "../core/errors.ts"
import type { JobRunner } from "./job-runner.ts"

/** The error of whatever is asked of a store that was closed; every store throws this one. `store` names it in a sentence. */
export function storeClosed(store: string, evidence: Readonly<Record<string, unknown>> = {}): PromptStrataError {
  return new PromptStrataError("closed", `${store} was closed; expected it to be open.`, {
    hint: "Close a store after the agents that use it.",
    evidence,
  })
}

/** A store's runner, which refuses with `closed` to be started or closed once its store is: whoever counts on it learns that no jobs are run. */
export function runnerOfOpenStore(
  runner: JobRunner,
  { store, isClosed }: { readonly store: string; readonly isClosed: () => boolean },
): JobRunner {
  const whileOpen = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed()) throw storeClosed(store)
    return work()
  }
  return {
    start: (handlers, options) => whileOpen(() => runner.start(handlers, options)),
    idle: (options) => runner.idle(options),
    close: (options) => whileOpen(() => runner.close(options)),
    dead: () => whileOpen(() => runner.dead()),
  }
}
