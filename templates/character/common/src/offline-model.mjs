/** Nothing that is said offline is worth a memory: what it answers to the questions after a turn. */
const background = {
  importance: "0",
  "user-profile": "{}",
  "importance-and-profile": '{"importance":0,"profile":{}}',
  reflection: "[]",
}

/** Stands in for a model as long as there is none: every model is an object like this. */
export function offlineModel() {
  return {
    id: "offline",
    capabilities: { developerRole: false, tools: false },
    async *stream({ facts }) {
      if (facts?.background) {
        yield { type: "text-delta", delta: background[facts.prompt] ?? "" }
        yield { type: "finish", reason: "stop" }
        return
      }
      const message = `(offline) "${facts?.question ?? ""}" — set OPENAI_API_KEY or OPENAI_BASE_URL, and PROMPTSTRATA_MODEL.`
      const decides = facts?.prompt === "planner"
      yield { type: "text-delta", delta: decides ? JSON.stringify({ action: "finish", message }) : message }
      yield { type: "finish", reason: "stop" }
    },
  }
}
