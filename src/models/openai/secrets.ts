import type { Connection } from "./options.ts"

/** Takes everything that must not be shown out of a text. */
export type Redact = (text: string) => string

// Shorter values are words, and blanking them out would make messages unreadable.
const minSecretCharacters = 6

/** Blanks out the key, all header values, and the credentials and query of the base URL. */
export function redactorOf({ apiKey, headers, baseUrl }: Connection): Redact {
  const secrets = [apiKey ?? "", ...Object.values(headers), ...Object.values(headers).map(withoutScheme), ...urlSecrets(baseUrl)]
    .filter((secret) => secret.length >= minSecretCharacters)
    .sort((a, b) => b.length - a.length)
  return (text) => secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text)
}

/** The address without credentials and query, for messages. */
export function shownUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return "an address that is not a URL"
  const { origin, pathname } = new URL(baseUrl)
  return `${origin}${pathname.endsWith("/") ? pathname.slice(0, -1) : pathname}/chat/completions`
}

/** `Bearer abc` → `abc`. */
function withoutScheme(header: string): string {
  return header.slice(header.indexOf(" ") + 1)
}

function urlSecrets(baseUrl: string): readonly string[] {
  if (!URL.canParse(baseUrl)) return []
  const url = new URL(baseUrl)
  return [url.password, url.username, ...url.searchParams.values()]
}
