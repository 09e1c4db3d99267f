import type { LanguageModel } from "../../src/core/model/language-model.ts"

/** Counts what a model tells, so that a server can wait for it instead of for time. */
export interface Hearing {
  /** Resolves once that many characters of the answer that is being read were read. */
  heard(characters: number): Promise<void>
  wrap(model: LanguageModel): LanguageModel
}

export function createHearing(): Hearing {
  let told = 0
  let waiting: { readonly characters: number; readonly resolve: () => void }[] = []
  const tell = (characters: number) => {
    told = characters
    waiting = waiting.filter((waiter) => {
      if (told < waiter.characters) return true
      waiter.resolve()
      return false
    })
  }
  return {
    heard: (characters: number) =>
      new Promise<void>((resolve) => {
        if (told >= characters) resolve()
        else waiting.push({ characters, resolve })
      }),
    wrap: (model: LanguageModel): LanguageModel => ({
      ...model,
      async *stream(request, options) {
        tell(0)
        for await (const part of model.stream(request, options)) {
          yield part
          // Whoever asks for more has read this.
          if ("delta" in part) tell(told + part.delta.length)
        }
      },
    }),
  }
}
