import type { SessionKey } from "../../../core/conversation.ts"
import type { JobRunner } from "./job-runner.ts"
import type { StoreScope } from "./store.ts"

/** A part of a store that was forgotten; with `memories` only memories of the user, and not what was said. */
export type ForgottenScope = StoreScope | { readonly agent: string; readonly user: string; readonly memories: true }

type ForgetListener = (scope: ForgottenScope) => Promise<void> | void

/** By the runner of a store: objects that wrap a store have its runner, too. */
const listeners = new WeakMap<JobRunner, Set<ForgetListener>>()

/** Calls `listener` whenever the store of a runner forgets something in this process. Returns a function that ends it. */
export function onForget(runner: JobRunner, listener: ForgetListener): () => void {
  const own = listeners.get(runner) ?? new Set()
  listeners.set(runner, own.add(listener))
  return () => own.delete(listener)
}

/** Tells those who keep copies of a store's words that it forgot a scope. Resolves when they have let go of them. */
export async function tellForgotten(runner: JobRunner, scope: ForgottenScope): Promise<void> {
  for (const listener of listeners.get(runner) ?? []) await listener(scope)
}

type AsideListener = (key: SessionKey) => Promise<void>

/** As {@link listeners}, of turns that are set aside. */
const asideListeners = new WeakMap<JobRunner, Set<AsideListener>>()

/** Calls `listener` whenever the store of a runner sets turns of a session aside in this process. Returns a function that ends it. */
export function onSetAside(runner: JobRunner, listener: AsideListener): () => void {
  const own = asideListeners.get(runner) ?? new Set()
  asideListeners.set(runner, own.add(listener))
  return () => own.delete(listener)
}

/** Tells those who keep what was drawn from turns that some were set aside. Resolves when they have let go of it. They must not reject. */
export async function tellSetAside(runner: JobRunner, { agent, conversation, audience }: SessionKey): Promise<void> {
  for (const listener of asideListeners.get(runner) ?? []) await listener({ agent, conversation, audience })
}
