import { mulberry32 } from "../../src/core/mulberry.ts"
import { documentTerms } from "../../src/memory/services/recall/text/document-terms.ts"

/** Makes the vector of a text. */
type Embed = (text: string) => Float32Array

function hash(text: string): number {
  let value = 2_166_136_261
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16_777_619)
  return value >>> 0
}

/** A poor embedding: each word, or pair of characters, adds or takes one at a place that its hash names. Few places make many words alike. */
const hashed = (places: number): Embed => {
  return (text) => {
    const { words, characters } = documentTerms(text)
    const values = new Float32Array(places)
    for (const term of [...words.keys(), ...characters.keys()]) {
      const code = hash(term)
      const place = code % places
      values[place] = (values[place] ?? 0) + ((code >>> 16) & 1 ? 1 : -1)
    }
    if (values.every((value) => value === 0)) values[0] = 1
    return values
  }
}

/** An embedding that knows nothing: other numbers for each text. */
const noise: Embed = (text) => {
  const random = mulberry32(hash(text))
  return Float32Array.from({ length: 64 }, () => random() - 0.5)
}

/** Embeddings that rank worse than words do, by name. */
export const weakEmbeddings: Readonly<Record<string, Embed>> = { "32 places": hashed(32), "64 places": hashed(64), noise }
