import { HttpProblem } from "../http-problem.ts"
import { isLoopback } from "../loopback.ts"

/** Headers of everything that an inspector answers: no other page may read or frame it, and its page may load nothing else. */
export const guardHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const

/**
 * The part of the path behind the token. Throws {@link HttpProblem}: 403 for a host that is not this computer, since a page from elsewhere
 * that had its name point here would send that name; 403 for another origin; 404 without the token.
 */
export function guardedPath(
  request: Request,
  { token, hosts }: { readonly token: string; readonly hosts: readonly string[] },
): string {
  const { headers } = request
  const url = new URL(request.url)
  const host = (headers.get("host") ?? url.host).toLowerCase()
  const name = host.replace(/:\d*$/u, "")
  if (!isLoopback(name) && !hosts.some((allowed) => allowed.toLowerCase() === name))
    throw new HttpProblem(403, "The host of the request is not this computer.", { param: "host" })
  const origin = headers.get("origin")
  if (origin !== null && URL.parse(origin)?.host !== host)
    throw new HttpProblem(403, "The request comes from another page.", { param: "origin" })
  const site = headers.get("sec-fetch-site")
  // A link from elsewhere may open the page: whoever opened it can neither read nor frame it.
  const isLink = request.method === "GET" && headers.get("sec-fetch-dest") === "document"
  if (site !== null && site !== "same-origin" && site !== "none" && !isLink)
    throw new HttpProblem(403, "The request comes from another page.", { param: "sec-fetch-site" })
  const parts = url.pathname.split("/")
  const at = parts.findIndex((part) => isSame(part, token))
  if (at < 0) throw new HttpProblem(404, "There is nothing here. Open the whole address that the inspector printed.")
  return parts.slice(at + 1).join("/")
}

/** Compares in a time that does not depend on how much is equal. */
function isSame(given: string, token: string): boolean {
  let difference = given.length ^ token.length
  for (let at = 0; at < token.length; at++) difference |= given.charCodeAt(at) ^ token.charCodeAt(at)
  return difference === 0
}
