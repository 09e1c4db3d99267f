import fc from "fast-check"
import { expect, test } from "vitest"
import { NumberHeap } from "../../../../src/adapters/tokenizers/tiktoken/piece-merge.ts"

test("a heap gives back what was appended and pushed, the lowest first", () => {
  const numbers = fc.array(fc.nat(2 ** 31 - 1))
  fc.assert(
    fc.property(numbers, numbers, (appended, pushed) => {
      const heap = new NumberHeap(appended.length + pushed.length, { steps: 0 })
      for (const value of appended) heap.append(value)
      heap.arrange()
      for (const value of pushed) heap.push(value)
      const popped = [...appended, ...pushed].map(() => heap.pop())
      expect(popped).toEqual([...appended, ...pushed].sort((a, b) => a - b))
      expect(heap.pop()).toBeUndefined()
    }),
  )
})
