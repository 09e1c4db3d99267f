import type { PromptText, SavedPrompt, SourceFile } from "../../src/profile/prompt-files.ts"

/** The reason why a text is refused, with its place if it has one. */
export interface Problem {
  readonly message: string
  readonly source?: { readonly file: string; readonly line: number; readonly column?: number }
}

/** An answer, or the reason of a refusal. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly status: number; readonly problem: Problem }

/** Sends to the inspector. Rejects only if the signal aborts; a lost connection is a refusal. */
export async function sendTo<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<Outcome<T>> {
  try {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    const response = await fetch(`api/${path}`, { ...init, signal: signal ?? null })
    const value = (await response.json()) as T & { problem?: Problem; error?: Problem }
    if (response.ok) return { ok: true, value }
    const problem = value.problem ?? value.error ?? { message: response.statusText }
    return { ok: false, status: response.status, problem }
  } catch (error) {
    signal?.throwIfAborted()
    return { ok: false, status: 0, problem: { message: error instanceof Error ? error.message : String(error) } }
  }
}

export const listFiles = () => sendTo<{ readonly files: readonly SourceFile[] }>("files")
export const readText = (path: string) => sendTo<PromptText>("files/read", { path })
export const saveText = (path: string, text: string, hash: string) =>
  sendTo<SavedPrompt & { readonly isLive: boolean }>("files/save", { path, text, hash })
export const undoSave = (path: string) => sendTo<SavedPrompt & { readonly isLive: boolean }>("files/undo", { path })

/** The state of the tab that outlives it: it is made anew for each turn. */
export const open: { path: string | undefined; line: number | undefined; readonly drafts: Map<string, string> } = {
  path: undefined,
  line: undefined,
  drafts: new Map(),
}
