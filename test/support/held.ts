import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** The number of objects that something still holds beside the weak references, after collections of garbage. */
export async function heldOf(refs: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc") as () => void
  let held = refs
  for (let round = 0; round < 50 && held.length > 0; round++) {
    // Work behind a turn ends some rounds later. A weak reference holds its object until the job ends in which it was made or read.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    held = held.filter((ref) => ref.deref() !== undefined)
  }
  return held.length
}
