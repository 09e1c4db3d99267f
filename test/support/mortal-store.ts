import type { Store } from "../../src/memory/services/store/store.ts"

/** A store whose process can die: from then on it answers nothing. */
export interface MortalStore {
  readonly store: Store
  die(): void
  /** Dies with the next write, before or after it is done. Resolves then. */
  dieAtNextWrite(when: "before" | "after"): Promise<void>
  /** Resolves when no call has been under way for a few rounds of the event loop. */
  isQuiet(): Promise<void>
}

const never = (): Promise<never> => new Promise(() => undefined)

/** Lets the calls of a session through to `real`, as long as its process lives. */
export function mortal(real: Store): MortalStore {
  let isDead = false
  let underWay = 0
  let armed: { readonly when: "before" | "after"; readonly died: () => void } | undefined

  const guarded =
    <Given extends readonly unknown[], T>(call: (...given: Given) => Promise<T>, writes: boolean) =>
    async (...given: Given): Promise<T> => {
      if (isDead) return never()
      const death = writes ? armed : undefined
      if (death !== undefined) isDead = true
      if (death?.when === "before") {
        death.died()
        return never()
      }
      underWay += 1
      try {
        return await call(...given)
      } finally {
        underWay -= 1
        death?.died()
        if (isDead) await never()
      }
    }

  const store: Store = {
    ...real,
    load: guarded((...given) => real.load(...given), false),
    commit: guarded((...given) => real.commit(...given), true),
    append: guarded((...given) => real.append(...given), true),
    post: guarded((...given) => real.post(...given), true),
    messages: guarded((...given) => real.messages(...given), false),
    branches: guarded((...given) => real.branches(...given), false),
  }
  return {
    store,
    die: () => {
      isDead = true
    },
    dieAtNextWrite: (when) => new Promise((died) => (armed = { when, died })),
    async isQuiet() {
      for (let rounds = 0; rounds < 3; rounds++) {
        await new Promise((resolve) => setImmediate(resolve))
        if (underWay > 0) rounds = 0
      }
    },
  }
}
