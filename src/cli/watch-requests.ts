import type { Assembly } from "../core/span.ts"
import type { LanguageModel } from "../model/language-model.ts"

/** A model that says what turns ask it, before it is asked; what is asked beside turns is nobody's step. */
export function watchRequests(model: LanguageModel, onRequest: (assembly: Assembly) => void): LanguageModel {
  return {
    id: model.id,
    capabilities: model.capabilities,
    stream(request, options) {
      if (request.assembly && request.facts?.background !== true) onRequest(request.assembly)
      return model.stream(request, options)
    },
  }
}
