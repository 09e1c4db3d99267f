/** A memory as recall sees it: plain JSON but for the vector. */
export interface RecallDocument {
  /** Unique in its index. */
  readonly id: string
  readonly text: string
  /** When it was said, in milliseconds since 1970. */
  readonly atMs: number
  readonly speaker: RecallSpeaker
  /** The conversation it was said in. */
  readonly session: string
  /** Its place in that conversation; two lines of one turn may share it. */
  readonly turn: number
  /** From 0 to 10. */
  readonly importance: number
  /** Days until its retrievability is 0.9 (R17); 1 by default. */
  readonly stability?: number
  /** When it last came up; `atMs` by default. */
  readonly recalledAtMs?: number
  readonly vector?: RecallVector
}

/** Who said something. One id may go by several names, and one name belong to several ids. */
export interface RecallSpeaker {
  readonly id: string
  readonly name: string
}

/** An embedding. Vectors are compared only where both the model and the length are the same. */
export interface RecallVector {
  readonly model: string
  readonly values: Float32Array
}
