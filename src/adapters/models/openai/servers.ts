/** Facts of a server's documentation that decide what is sent to it. An absent one is not known. */
export interface ServerFacts {
  /** It holds an answer to a JSON Schema. */
  readonly jsonSchema?: boolean
  /** It holds an answer to JSON of any form. */
  readonly jsonMode?: boolean
  /** Its name of the limit, if it has renamed `max_tokens`, as OpenAI did. */
  readonly outputLimitName?: "max_completion_tokens"
  /** Its models that refuse a temperature. */
  readonly fixedTemperature?: RegExp
  /** Its models that call the author of a system message `developer`. */
  readonly developer?: RegExp
}

const renamed = { outputLimitName: "max_completion_tokens" } as const
const thinking = /^(o\d|gpt-5|codex)(?!.*chat)/i

/** The servers by host and port, as of 2026-11-27. docs/providers.md has the sources, and the servers about which there is nothing to say here. */
const servers: readonly (readonly [host: RegExp, facts: ServerFacts])[] = [
  [/^api\.openai\.com$|\.openai\.azure\.com$/, { jsonSchema: true, ...renamed, fixedTemperature: thinking, developer: thinking }],
  [/^api\.deepseek\.com$/, { jsonMode: true }],
  [/^generativelanguage\.googleapis\.com$/, { jsonSchema: true }],
  [/^api\.moonshot\.(ai|cn)$/, { ...renamed, fixedTemperature: /^kimi/i }],
  [/^api\.minimaxi?\.(io|com)$/, renamed],
  [/^api\.(groq\.com|cerebras\.ai)$/, renamed],
  // The usual ports of Ollama, LM Studio and vLLM.
  [/:(11434|1234|8000)$/, { jsonSchema: true }],
]

/** Returns the facts of the server at a base URL. */
export function serverFacts(baseUrl: string): ServerFacts {
  const host = URL.parse(baseUrl)?.host ?? ""
  return servers.find(([pattern]) => pattern.test(host))?.[1] ?? {}
}
