/** Stands in for a model as long as there is none: every model is an object like this. */
export function offlineModel() {
  return {
    id: "offline",
    capabilities: { developerRole: false, tools: false },
    async *stream({ facts }) {
      const message = `(offline) "${facts?.question ?? ""}" — set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL.`
      yield { type: "text-delta", delta: JSON.stringify({ action: "finish", message }) }
      yield { type: "finish", reason: "stop" }
    },
  }
}
