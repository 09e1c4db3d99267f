import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** The number of objects that something still holds beside the weak references. */
export async function heldOf(refs: readonly WeakRef<object>[]): Promise<number> {
  setFlagsFromString("--expose-gc")
  const collectGarbage = runInNewContext("gc") as () => void
  // A weak reference holds its object until the job ends in which it was made or read.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  return refs.filter((ref) => ref.deref() !== undefined).length
}
