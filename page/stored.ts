import { useEffect, useState } from "preact/hooks"
import type { StoredFacts } from "../src/apps/server/inspector/stored-routes.ts"
import { ask } from "./data.ts"

/** An answer of the inspector, or the reason why there is none. Neither until it has come. */
interface Asked<T> {
  readonly found?: T
  readonly problem?: string
}

/** Asks the inspector, again whenever `again` changes; until then the last answer stays. */
export function useAsked<T>(path: string, again: unknown): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({})
  useEffect(() => {
    let isLeft = false
    ask<T>(path).then(
      (found) => isLeft || setAsked({ found }),
      (error: unknown) => isLeft || setAsked({ problem: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      isLeft = true
    }
  }, [path, again])
  return asked
}

/** Asks for what the store holds about a turn's user, again whenever `again` changes. Undefined until it has come. */
export function useStored(turn: string, again: unknown): { readonly facts?: StoredFacts; readonly problem?: string } {
  const { found, problem } = useAsked<StoredFacts>(`turns/${turn}/stored`, again)
  return { ...(found && { facts: found }), ...(problem !== undefined && { problem }) }
}
