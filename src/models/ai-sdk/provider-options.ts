/** Any JSON value, writable as the AI SDK's own types want it. */
export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue }

/** Options for one provider each, under its name, such as `{ anthropic: { cacheControl: { type: "ephemeral" } } }`. */
export type ProviderOptions = Record<string, Record<string, JsonValue>>

/** Both sets of options, option by option; those of `wins` count where both have one. */
export function mergeProviderOptions(base: ProviderOptions, wins: ProviderOptions): ProviderOptions {
  const names = new Set([...Object.keys(base), ...Object.keys(wins)])
  return Object.fromEntries([...names].map((name) => [name, { ...base[name], ...wins[name] }]))
}
