import { recordOf } from "../openai/json-access.ts"
import { environment } from "../openai/options.ts"
import type { Redact } from "../openai/secrets.ts"

// Shorter values are words, and blanking them out would make messages unreadable.
const minSecretCharacters = 8

/** Keys as servers repeat them: by their prefix, after a scheme, or after the words that announce them. */
const shapes = [
  /\b(?:sk|pk|rk|xai|gsk|hf|pplx|AIza|ghp|glpat)[-_][\w-]{6,}/g,
  /\bBearer\s{1,4}[\w.~+/-]{6,}=*/gi,
  /(?<=\bapi[ _-]?key[^\n:=]{0,40}[:=]\s{0,4}["']?)[^\s"',;]{6,}/gi,
]

/**
 * Blanks out what an error must not show. The provider object holds its key where nobody is meant to look, so this takes
 * out the values of secret-looking environment variables, all header values, and whatever is shaped like a key.
 */
export function redactorOf(model: unknown, headers: Readonly<Record<string, string>>): Redact {
  const values = [...Object.values(headers), ...providerHeaders(model), ...secretVariables()]
  const secrets = values
    .flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)])
    .filter((secret) => secret.length >= minSecretCharacters)
    .sort((a, b) => b.length - a.length)
  return (text) => {
    const withoutKnown = secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text)
    return shapes.reduce((shown, shape) => shown.replace(shape, "[secret]"), withoutKnown)
  }
}

function secretVariables(): string[] {
  const isSecret = (name: string) => /KEY|TOKEN|SECRET|PASSWORD/i.test(name)
  return Object.entries(environment()).flatMap(([name, value]) => (isSecret(name) && value !== undefined ? [value] : []))
}

/** The headers of `@ai-sdk/*` models, which carry a key given in code. Private to them: read only to be blanked out. */
function providerHeaders(model: unknown): string[] {
  try {
    const { headers } = recordOf(recordOf(model).config)
    const given: unknown = typeof headers === "function" ? headers() : headers
    // Those that have to be fetched are not waited for.
    if (given instanceof Promise) given.catch(() => undefined)
    const named = recordOf(given)
    return Object.entries(named).flatMap(([name, value]) => (isPlain(name) || typeof value !== "string" ? [] : [value]))
  } catch {
    return []
  }
}

function isPlain(name: string): boolean {
  return ["content-type", "user-agent", "anthropic-version"].includes(name.toLowerCase())
}
