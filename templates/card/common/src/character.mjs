import process from "node:process"
import { createAgent } from "promptstrata"
import { openaiModel } from "promptstrata/models/openai"
import { loadProfile } from "promptstrata/node"
import { offlineModel } from "./offline-model.mjs"

/**
 * Makes __NAME__, with the model that the environment names; any server that speaks OpenAI's language will do. With a store it
 * remembers: after an answer the model is asked what is worth keeping. A test sets the clock and the ids in `ports`.
 */
export async function createCharacter({ model = modelFromEnvironment(), store, ports = {} } = {}) {
  return createAgent({ profile: await loadProfile("__ID__", ports.clock && { clock: ports.clock }), model, store, ports })
}

function modelFromEnvironment() {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, PROMPTSTRATA_MODEL: name = "gpt-5-mini" } = process.env
  if (!apiKey && !baseUrl) return offlineModel()
  return openaiModel({ model: name, ...(apiKey ? { apiKey } : {}), ...(baseUrl ? { baseUrl } : {}) })
}
