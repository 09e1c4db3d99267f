import { createHash, timingSafeEqual } from "node:crypto"
import type { Caller } from "../../server/handler.ts"
import { HttpProblem } from "../../server/http-problem.ts"
import { isLoopback } from "../../server/loopback.ts"
import { terminalUser } from "../open-agent.ts"

/**
 * Says who sent a request. With a key, whoever has it may name the user. Without one the user is the terminal's, and only programs of
 * this computer are answered, and pages of its own: a page from elsewhere that had its name point here would send that name.
 */
export function callerOf(key: string | undefined): (request: Request) => Caller | undefined {
  const expected = key === undefined ? undefined : digest(`Bearer ${key}`)
  return ({ headers }) => {
    const user = readId(headers, "x-user")
    if (expected) {
      if (!timingSafeEqual(expected, digest(headers.get("authorization") ?? ""))) return undefined
    } else {
      checkLocal(headers)
      if (user !== undefined) throw new HttpProblem(403, "x-user needs a server with a key.", { param: "x-user" })
    }
    const conversation = readId(headers, "x-conversation")
    if (user === undefined) return { user: terminalUser, conversation }
    // The encoded name has no slash, so that no two users can name the same conversation.
    return { user, conversation: conversation === undefined ? undefined : `${encodeURIComponent(user)}/${conversation}` }
  }
}

/** Of equal length for every text, so that a comparison takes the same time for all. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest()
}

function checkLocal(headers: Headers): void {
  const host = headers.get("host") ?? ""
  const origin = headers.get("origin")
  if (!isLoopback(host.replace(/:\d*$/u, "")))
    throw new HttpProblem(403, "The host of the request is not this computer. A server for others needs a key.", {
      param: "host",
    })
  if (origin === null || isLoopback(URL.parse(origin)?.hostname ?? "")) return
  throw new HttpProblem(403, "The request comes from a web page of another computer.", { param: "origin" })
}

function readId(headers: Headers, name: string): string | undefined {
  const value = headers.get(name)
  if (value === null || /^[\x21-\x7e]{1,200}$/u.test(value)) return value ?? undefined
  throw new HttpProblem(400, `Expected 1 to 200 ASCII characters without spaces in ${name}.`, { param: name })
}
