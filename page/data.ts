import type { TurnRecord, TurnSummary } from "../src/apps/server/inspector/turn-record.ts"

/** The facts about the agent that the page shows. */
export interface Info {
  readonly agent: string
  readonly colour?: string
  readonly profile: string
  readonly locale: string
  readonly chat: boolean
  readonly memory: boolean
  readonly documents: boolean
  /** The address that opens a file, with `{file}` and `{line}`. */
  readonly editor?: string
  /** True if turns can be played again by agents that differ. */
  readonly variants: boolean
  /** True if somebody compares the answers of two agents. */
  readonly judge: boolean
  /** The names of the dialects that those may have. */
  readonly dialects?: readonly string[]
  /** True if the profile's files can be edited. */
  readonly edits: boolean
  readonly kept: number
  readonly dropped: number
  /** Records on the disk that could not be kept or read. */
  readonly warnings: readonly string[]
}

/** A page of the list of turns, the newest first. */
export interface TurnPage {
  readonly turns: readonly TurnSummary[]
  readonly more: boolean
  readonly conversations: readonly string[]
}

/** A memory that a search found. */
export type FoundMemory = TurnRecord["recalled"][number]

/** The data of a file that was exported: one turn, and nothing to ask. */
export interface Exported {
  readonly info: Info
  readonly record: TurnRecord
}

/** Asks the inspector. Throws an error with its words if it refuses. */
export async function ask<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(`api/${path}`, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  const answer = (await response.json()) as T & { readonly error?: { readonly message: string } }
  if (!response.ok) throw new Error(answer.error?.message ?? response.statusText)
  return answer
}

/** Calls `onTurns` for turns that change and `onOpen` whenever the connection stands again. Tries until the returned function is called. */
export function follow(handlers: {
  /** `gone` are the ids of turns that were forgotten, or made room for others. */
  readonly onTurns: (turns: readonly TurnSummary[], gone: readonly string[]) => void
  readonly onOpen: () => void
  readonly onLost: () => void
}): () => void {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const open = (): void => {
    source = new EventSource("api/live")
    source.onopen = handlers.onOpen
    source.onmessage = ({ data }) => {
      const { turns, gone } = JSON.parse(data) as { readonly turns: readonly TurnSummary[]; readonly gone: readonly string[] }
      handlers.onTurns(turns, gone)
    }
    source.onerror = () => {
      handlers.onLost()
      source?.close()
      timer = setTimeout(open, 1_000)
    }
  }
  open()
  return () => {
    source?.close()
    clearTimeout(timer)
  }
}

/** The turn that the file has in it; undefined on a page that is served. */
export function exported(): Exported | undefined {
  const text = document.getElementById("record")?.textContent
  return text ? (JSON.parse(text) as Exported) : undefined
}
