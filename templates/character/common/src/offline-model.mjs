/** Nothing that is said offline is worth a memory: what it answers to the questions after a turn. */
const background = {
  importance: "0",
  "user-profile": "{}",
  "importance-and-profile": '{"importance":0,"profile":{}}',
  reflection: "[]",
}

/** What it says to every question, in the character's language. */
const answers = {
  en: (question) => `(offline) "${question}" — set OPENAI_API_KEY or OPENAI_BASE_URL, and PROMPTSTRATA_MODEL.`,
  "zh-CN": (question) => `（离线）“${question}”——请设置 OPENAI_API_KEY 或 OPENAI_BASE_URL，以及 PROMPTSTRATA_MODEL。`,
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
      const message = answers["__LOCALE__"](facts?.question ?? "")
      const decides = facts?.prompt === "planner"
      yield { type: "text-delta", delta: decides ? JSON.stringify({ action: "finish", message }) : message }
      yield { type: "finish", reason: "stop" }
    },
  }
}
