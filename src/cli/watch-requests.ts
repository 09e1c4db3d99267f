import type { Assembly } from "../core/span.ts"
import type { LanguageModel } from "../model/language-model.ts"

/** A model that says what it is asked, before it is. */
export function watchRequests(model: LanguageModel, onRequest: (assembly: Assembly) => void): LanguageModel {
  return {
    id: model.id,
    capabilities: model.capabilities,
    stream(request, options) {
      if (request.assembly) onRequest(request.assembly)
      return model.stream(request, options)
    },
  }
}
