/** Facts of a server's documentation that decide what is sent to it. An absent one is not known. */
export interface ServerFacts {
  /** It holds an answer to a JSON Schema. */
  readonly jsonSchema?: boolean
  /** It holds an answer to JSON of any form. */
  readonly jsonMode?: boolean
  /** Its name of the limit, if it has renamed `max_tokens`, as OpenAI did. */
  readonly outputLimitName?: "max_completion_tokens"
  /** Its models that call tools natively. A server that has other models, or needs a switch for calls, does so only by the profile. */
  readonly tools?: RegExp
  /** Its models that refuse a temperature. */
  readonly fixedTemperature?: RegExp
  /** Its models that call the author of a system message `developer`. */
  readonly developer?: RegExp
}

const renamed = { outputLimitName: "max_completion_tokens" } as const
/** Models that see, wherever they run. */
const seeing =
  /gpt-(4o(?!-audio)|4\.1|5)|claude-|gemini-\d|kimi-(latest|k2\.5)|qwen[\w.]*-?vl|glm-\d(\.\d)?v|vision|omni|pixtral|llava|moondream|minicpm-?v|internvl|qvq|gemma-?3(?!n|.*\b(1b|270m))/i
const every = /./
const known = /^(openai|anthropic|google\/gemini|deepseek|qwen|moonshotai|z-ai|mistralai|x-ai)/
const thinking = /^(o\d|gpt-5|codex)(?!.*chat)/i

/** The servers by host and port, as of 2026-11-27. docs/providers.md has the sources, and the servers about which there is nothing to say here. */
const servers: readonly (readonly [host: RegExp, facts: ServerFacts])[] = [
  [
    /^api\.openai\.com$|\.openai\.azure\.com$/,
    { jsonSchema: true, ...renamed, fixedTemperature: thinking, developer: thinking, tools: every },
  ],
  [/^api\.deepseek\.com$/, { jsonMode: true, tools: every }],
  [/^generativelanguage\.googleapis\.com$/, { jsonSchema: true, tools: every }],
  [/^api\.moonshot\.(ai|cn)$/, { ...renamed, fixedTemperature: /^kimi/i, tools: every }],
  [/^api\.minimaxi?\.(io|com)$/, renamed],
  [/^api\.(groq\.com|cerebras\.ai)$/, { ...renamed, tools: every }],
  [/^dashscope[\w-]*\.aliyuncs\.com$|^open\.bigmodel\.cn$|^api\.(z\.ai|mistral\.ai|x\.ai)$/, { tools: every }],
  [/^openrouter\.ai$/, { tools: known }],
  // The usual ports of LM Studio, and of Ollama and vLLM.
  [/:1234$/, { jsonSchema: true, tools: every }],
  [/:(11434|8000)$/, { jsonSchema: true }],
]

/** Returns the facts of the server at a base URL. */
export function serverFacts(baseUrl: string): ServerFacts {
  const host = URL.parse(baseUrl)?.host ?? ""
  return servers.find(([pattern]) => pattern.test(host))?.[1] ?? {}
}

/** True for a model that takes pictures, by its name. */
export function seesPictures(model: string): boolean {
  return seeing.test(model)
}
