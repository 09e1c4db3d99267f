import process from "node:process"
import { createAgent } from "promptstrata"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { offlineModel } from "./offline-model.mjs"

/**
 * Makes __NAME__, with the model that the environment names; any server that speaks OpenAI's language will do. With a store it
 * remembers: after an answer the model is asked what is worth keeping. `confirm` asks a person about a tool that needs a consent. A
 * test sets the clock in `ports`.
 */
export async function createCharacter({ model = modelFromEnvironment(), store, confirm, ports = {} } = {}) {
  return createAgent({ profile: await loadProfile("__ID__"), model, store, confirm, ports })
}

function modelFromEnvironment() {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, PROMPTSTRATA_MODEL: name = "gpt-5-mini" } = process.env
  if (!apiKey && !baseUrl) return offlineModel()
  return openaiModel({ model: name, ...(apiKey ? { apiKey } : {}), ...(baseUrl ? { baseUrl } : {}) })
}
