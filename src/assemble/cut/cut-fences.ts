import type { Text } from "../../core/value.ts"
import type { OpenFence } from "./open-fence.ts"

/** The code fences of a cut text that its head leaves open and that its tail begins in. */
export interface CutFences {
  readonly before: OpenFence | undefined
  readonly after: OpenFence | undefined
}

const fences = new WeakMap<Text, CutFences>()

/** Remembers what fences a cut opened, for whoever prints the text: whether they count depends on its encoder. */
export function rememberCutFences(cut: Text, open: CutFences): void {
  if (open.before || open.after) fences.set(cut, open)
}

/** The fences that a cut opened; `undefined` for none. */
export function cutFencesOf(cut: Text): CutFences | undefined {
  return fences.get(cut)
}
