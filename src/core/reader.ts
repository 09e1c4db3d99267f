/**
 * Turns a stream into another, piece by piece. `push` may hold back what it cannot decide yet; whatever was held
 * comes out of `end`. Cutting the input differently never changes the joined output.
 */
export interface Reader<In, Out> {
  push(chunk: In): Out[]
  end(): Out[]
}

/** Two readers as one: what the first yields is the second's input. */
export function pipe<A, B, C>(first: Reader<A, B>, second: Reader<B, C>): Reader<A, C> {
  return {
    push: (chunk) => first.push(chunk).flatMap((piece) => second.push(piece)),
    end: () => [...first.end().flatMap((piece) => second.push(piece)), ...second.end()],
  }
}
