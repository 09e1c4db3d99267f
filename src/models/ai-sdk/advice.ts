import { advice as openaiAdvice } from "../openai/advice.ts"
import type { FaultKind } from "../openai/fault.ts"

/** What a person can do about a fault where the provider object holds key and address. */
export const advice: Readonly<Record<FaultKind, string>> = {
  ...openaiAdvice,
  credentials: "Check the key that the provider object was made with, or its environment variable.",
  "not-found": "Check the model's name and the base URL that the provider object was made with.",
  "web-page": "A web page came instead of the API's answer. Check the provider's base URL and any proxy in between.",
  "not-streamed": "What came was no event stream. Check the provider's base URL and whether this address streams.",
  refused: "Nothing listens at this address. Is the server running? Check the provider's base URL.",
  "no-such-host": "The host's name could not be resolved. Check the provider's base URL and the network.",
}
