import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/**
 * The number of objects that something still holds beside the weak references, after so many collections of garbage at the most. A
 * collection takes long in a process that many test files share: a test that expects held objects asks for few of them.
 */
export async function heldOf(refs: readonly WeakRef<object>[], rounds = 50): Promise<number> {
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc") as () => void
  let held = refs
  for (let round = 0; round < rounds && held.length > 0; round++) {
    // Work behind a turn ends some rounds later. A weak reference holds its object until the job ends in which it was made or read.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    held = held.filter((ref) => ref.deref() !== undefined)
  }
  return held.length
}
