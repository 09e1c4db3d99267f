/**
 * Turns one stream into another, piece by piece. `push` may hold back text that it cannot decide yet, and `end` gives the rest.
 * The joined output does not depend on how the input is cut into pieces.
 */
export interface Reader<In, Out> {
  push(chunk: In): Out[]
  end(): Out[]
}

/** Joins two readers: the output of the first is the input of the second. */
export function pipe<A, B, C>(first: Reader<A, B>, second: Reader<B, C>): Reader<A, C> {
  return {
    push(chunk) {
      const pieces = first.push(chunk)
      // Nearly every piece of a streamed answer is one piece for the next reader, too.
      return pieces.length === 1 ? second.push(pieces[0] as B) : pieces.flatMap((piece) => second.push(piece))
    },
    end: () => [...first.end().flatMap((piece) => second.push(piece)), ...second.end()],
  }
}
