import { attempt, PromptStrataError } from "../../../core/errors.ts"
import { hostSecrets } from "../../../core/secrets/find-secrets.ts"
import { redactText } from "../../../core/secrets/redact.ts"

/** The address of a database. */
export type ConnectionTarget = Readonly<ReturnType<typeof connectionTarget>>

/** Reads a connection URL. Throws `usage` for any other text, without repeating it: it may hold a password. */
export function connectionTarget(url: string) {
  const parsed = URL.parse(url)
  if (parsed === null || !["postgres:", "postgresql:"].includes(parsed.protocol) || parsed.hostname === "")
    throw new PromptStrataError("usage", "Expected a connection URL of PostgreSQL, found something else.", {
      hint: "Write postgres://user:password@host:5432/database, with characters such as @ and / in the password as %40 and %2F.",
    })
  const { username, password, hostname, port, pathname, searchParams } = parsed
  const user = decoded(username)
  const database = decoded(pathname.slice(1)) || user
  const host = `${hostname}${port === "" ? "" : `:${port}`}`
  return {
    /** `postgres://user@host:port/database`: neither the password nor the parameters. */
    shown: `postgres://${user === "" ? "" : `${user}@`}${host}/${database}`,
    host,
    user,
    database,
    /** The texts that must never be printed. */
    secrets: [password, decoded(password), searchParams.get("password") ?? ""].filter((secret) => secret !== ""),
  }
}

/** The text with `[secret]` in place of each secret. */
export function withoutSecrets(text: string, { secrets }: ConnectionTarget): string {
  return redactText(text, hostSecrets(secrets))
}

function decoded(part: string): string {
  return attempt(() => decodeURIComponent(part), part)
}
