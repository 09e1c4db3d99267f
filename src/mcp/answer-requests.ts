import type { Client } from "@modelcontextprotocol/client"
import { sanitise, sanitiseJson } from "../encode/sanitise.ts"
import { isRecord } from "./any-result.ts"
import type { Surroundings } from "./surroundings.ts"

const maxMessageCharacters = 4_000

/** What a client says it can be asked: only what somebody is there to answer. Everything else is refused by the library. */
export function capabilitiesFor({ elicit, sample }: Pick<Surroundings, "elicit" | "sample">) {
  return {
    ...(elicit ? { elicitation: { form: { applyDefaults: true } } } : {}),
    ...(sample ? { sampling: {} } : {}),
  }
}

/** Hands what a server asks in the middle of a call to the callbacks; without one the request is refused. */
export function answerRequests(
  client: Client,
  server: string,
  { elicit, sample }: Pick<Surroundings, "elicit" | "sample">,
): void {
  if (elicit) {
    client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
      const schema = "requestedSchema" in params && isRecord(params.requestedSchema) ? params.requestedSchema : {}
      const { action, content } = await elicit({
        server,
        message: sanitise(params.message.slice(0, maxMessageCharacters)).text,
        schema: sanitiseJson(schema).value,
        signal: mcpReq.signal,
      })
      return action === "accept" ? { action, content: { ...content } } : { action }
    })
  }
  if (sample) {
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      const { model, text } = await sample({ server, params: { ...params }, signal: mcpReq.signal })
      return { model, role: "assistant" as const, content: { type: "text" as const, text } }
    })
  }
}
