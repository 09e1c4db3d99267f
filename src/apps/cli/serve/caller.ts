import type { Caller } from "../../server/exchange.ts"
import { HttpProblem } from "../../server/http-problem.ts"
import { isLoopback } from "../../server/loopback.ts"
import { terminalUser } from "../open-agent.ts"
import { type FindHolder, isUserName, type KeyHolder } from "./server-keys.ts"

/**
 * Says who sent a request. A key speaks for its own user, or for any that the request names. Without keys the user is the terminal's, and
 * only programs of this computer are answered, and pages of its own: a page from elsewhere that had its name point here would send that
 * name.
 */
export function callerOf(keys: FindHolder | undefined): (request: Request) => Caller | undefined {
  return ({ headers }) => {
    const asked = readId(headers, "x-user")
    const holder = keys?.(headers.get("authorization") ?? "")
    if (keys && !holder) return undefined
    if (!keys) checkLocal(headers)
    const user = userOf(holder, asked)
    const conversation = readId(headers, "x-conversation")
    return {
      user: user ?? terminalUser,
      conversation: conversation === undefined ? undefined : keptName(user, conversation),
    }
  }
}

/** The user of a request; undefined for the terminal's, whom no header can name. */
function userOf(holder: KeyHolder | undefined, asked: string | undefined): string | undefined {
  if (asked === undefined) return holder?.user
  const refused = (why: string) => new HttpProblem(403, why, { param: "x-user" })
  if (!holder) throw refused("x-user needs a server with a key.")
  if (holder.user !== undefined && holder.user !== asked) throw refused("This key speaks for another user.")
  if (asked === terminalUser) throw refused(`${terminalUser} is whoever runs this server: leave x-user out.`)
  return asked
}

/**
 * The name of a conversation in the store. No two users have one in common: the name behind a user's has the first slash, and one of
 * the terminal's user has none.
 */
function keptName(user: string | undefined, conversation: string): string {
  if (user === undefined) return conversation.replace(/[%/]/gu, encodeURIComponent)
  return `${encodeURIComponent(user)}/${conversation}`
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
  if (value === null || isUserName(value)) return value ?? undefined
  throw new HttpProblem(400, `Expected 1 to 200 ASCII characters without spaces in ${name}.`, { param: name })
}
