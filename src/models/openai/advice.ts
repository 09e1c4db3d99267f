import type { FaultKind } from "./fault.ts"

/** What a person can do about a fault. */
export const advice: Readonly<Record<FaultKind, string>> = {
  "bad-request": "The server did not accept the request. Check the model's context length and the options you set for it.",
  credentials: "Check the key: the option `apiKey` or the environment variable OPENAI_API_KEY.",
  forbidden: "The key is valid but may not use this model. Check the account's access to it.",
  "not-found":
    "Check the model's name and the base URL, which usually ends in /v1. Ollama and other local servers must have loaded the model first.",
  quota: "The account's quota is used up. Check its plan and billing.",
  "rate-limit": "Too many requests: wait and try again, or lower the rate.",
  server: "The server failed on its side. Try again later.",
  "web-page":
    "A web page came instead of the API's answer. Check the base URL, which usually ends in /v1, and any proxy in between.",
  "not-streamed": "The server does not stream chat completions at this address. Check the base URL, which usually ends in /v1.",
  reported: "The provider reported this while it was answering.",
  broken: "The connection broke in the middle of the answer. Try again.",
  refused: "Nothing listens at this address. Is the server running? Check the base URL (option `baseUrl` or OPENAI_BASE_URL).",
  "no-such-host": "The host's name could not be resolved. Check the base URL and the network.",
  certificate: "The server's TLS certificate was not accepted. Check the base URL's scheme and the certificate.",
  timeout: "The server took too long to answer. Try again, or check its load.",
  network: "The request did not get through. Check the network and any proxy.",
  other: "",
}
