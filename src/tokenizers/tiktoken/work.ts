/** How much was done: bytes looked up and moves in the heap of merges. Tests and benchmarks measure growth by it. */
export interface Work {
  steps: number
}
