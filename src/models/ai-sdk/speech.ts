import type { Reader } from "../../core/reader.ts"
import type { ModelPart } from "../../model/model-part.ts"
import { stringOf } from "../openai/json-access.ts"
import { createWholeCharacters } from "../openai/whole-characters.ts"

/** The deltas of what is said, or of what is thought, as parts that never hold half a character. */
export function createSpeech(type: "text-delta" | "reasoning-delta"): Reader<unknown, ModelPart> {
  const characters = createWholeCharacters()
  const parts = (pieces: readonly string[]): ModelPart[] => pieces.map((delta) => ({ type, delta }))
  return {
    push: (delta) => parts(characters.push(stringOf(delta))),
    end: () => parts(characters.end()),
  }
}
