type Numbers = Float64Array | Uint32Array | Int32Array | Uint8Array

/** The same numbers with room for one at `index`: the array itself, or a copy twice as long or longer, filled with `empty` behind. */
export function grown<T extends Numbers>(numbers: T, index: number, empty = 0): T {
  if (index < numbers.length) return numbers
  const larger = new (numbers.constructor as new (length: number) => T)(Math.max(16, numbers.length * 2, index + 1))
  larger.set(numbers)
  if (empty !== 0) larger.fill(empty, numbers.length)
  return larger
}
