import type { SessionKey } from "../../../core/conversation.ts"
import { forgetRequests } from "../../../prompt/assemble/assembler.ts"
import type { JobRunner } from "./job-runner.ts"
import type { StoreScope } from "./store.ts"

/** A part of a store that was forgotten; with `memories` only memories of the user, and not what was said. */
export type ForgottenScope = StoreScope | { readonly agent: string; readonly user: string; readonly memories: true }

/** Listeners to what stores tell of one kind. */
function announcements<Told>() {
  /** By the runner of a store: objects that wrap a store have its runner, too. */
  const byRunner = new WeakMap<JobRunner, Set<(told: Told) => Promise<void> | void>>()
  return {
    on(runner: JobRunner, listener: (told: Told) => Promise<void> | void): () => void {
      const own = byRunner.get(runner) ?? new Set()
      byRunner.set(runner, own.add(listener))
      return () => own.delete(listener)
    },
    async tell(runner: JobRunner, told: Told): Promise<void> {
      for (const listener of byRunner.get(runner) ?? []) await listener(told)
    },
  }
}

const forgotten = announcements<ForgottenScope>()

/** Calls `listener` whenever the store of a runner forgets something in this process. Returns a function that ends it. */
export const onForget = forgotten.on

/**
 * Tells those who keep copies of a store's words that it forgot a scope. Resolves when they have let go of them. Assemblers let go of
 * their requests at once.
 */
export function tellForgotten(runner: JobRunner, scope: ForgottenScope): Promise<void> {
  forgetRequests()
  return forgotten.tell(runner, scope)
}

const setAside = announcements<SessionKey>()

/** Calls `listener` whenever the store of a runner sets turns of a session aside in this process. Returns a function that ends it. */
export const onSetAside = setAside.on

/** Tells those who keep what was drawn from turns that some were set aside. Resolves when they have let go of it. They must not reject. */
export function tellSetAside(runner: JobRunner, { agent, conversation, audience }: SessionKey): Promise<void> {
  return setAside.tell(runner, { agent, conversation, audience })
}
