import { useEffect, useState } from "preact/hooks"
import type { StoredFacts } from "../src/server/inspector/stored-routes.ts"
import { ask } from "./data.ts"

/** Asks for what the store holds about a turn's user, again whenever `again` changes. Undefined until it has come. */
export function useStored(turn: string, again: unknown): { readonly facts?: StoredFacts; readonly problem?: string } {
  const [found, setFound] = useState<ReturnType<typeof useStored>>({})
  useEffect(() => {
    let isLeft = false
    ask<StoredFacts>(`turns/${turn}/stored`).then(
      (facts) => isLeft || setFound({ facts }),
      (error: unknown) => isLeft || setFound({ problem: String(error) }),
    )
    return () => {
      isLeft = true
    }
  }, [turn, again])
  return found
}
