import type { HistoryMessage, SessionKey } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import type { Agent } from "../../loop/agent/agent.ts"
import { contextOf } from "../../loop/agent/published-agents.ts"
import type { Answer, Caller } from "./exchange.ts"
import { HttpProblem } from "./http-problem.ts"
import { keptAnswer } from "./kept-answer.ts"

/** An idempotency key of a request to a kept conversation, or the name of its last message without one. */
export interface Claim {
  readonly agent: Agent
  readonly caller: Caller
  readonly conversation: string
  /** The digest of the caller and the key. */
  readonly key: string
}

/** The first request of a key, as the store has it: no words of it. */
interface ClaimedKey {
  readonly print: string
  readonly atMs: number
  /** Absent until its turn has begun. */
  readonly turnId?: string
}

/** The most keys that are kept for a conversation: the newest. */
const maxKeys = 100
const maxTries = 10
/** After this time a client asks again for an answer that another process makes. */
const againMs = 2_000

/**
 * Takes a key for a request, in one write that only one of several processes can make. Returns the answer of the first request if it was taken,
 * `other` if that was another request. Throws {@link HttpProblem} for one that has not ended, as far as the store tells, or that failed.
 */
export async function claimKey(
  claim: Claim,
  { print, nowMs, sinceMs }: { readonly print: string; readonly nowMs: number; readonly sinceMs: number },
): Promise<Answer | "other" | undefined> {
  let found: ClaimedKey | undefined
  await change(claim, (claims) => {
    const live = claims.filter(([, { atMs }]) => atMs > sinceMs)
    found = live.find(([key]) => key === claim.key)?.[1]
    return found ? undefined : [...live, [claim.key, { print, atMs: nowMs }]]
  })
  if (found === undefined) return undefined
  return found.print === print ? firstAnswer(claim, found.turnId) : "other"
}

/** Writes down which turn answers the request that took a key at that time. What a later request has written stays. */
export function noteTurn(claim: Claim, { atMs, turnId }: Omit<Required<ClaimedKey>, "print">): Promise<void> {
  const noted = ([key, own]: Claims[number]) => [key, key === claim.key && own.atMs === atMs ? { ...own, turnId } : own] as const
  return change(claim, (claims) => claims.map(noted))
}

/** Gives a key back whose request did nothing. False if it was not there. */
export async function freeKey(claim: Claim): Promise<boolean> {
  let isThere = false
  await change(claim, (claims) => {
    const others = claims.filter(([key]) => key !== claim.key)
    isThere = others.length < claims.length
    return isThere ? others : undefined
  })
  return isThere
}

/** Writes down for all processes that the answer of a turn did not reach its client. */
export function noteLost(claim: Claim, lost: Required<ClaimedKey>): Promise<void> {
  return change(claim, (claims) => [...claims.filter(([key]) => key !== claim.key), [claim.key, lost]])
}

/**
 * Takes an answer that did not reach its client, if the same words ask again, also after a restart and from another process. Only one request gets it, and
 * other words end its time. Throws {@link HttpProblem} while another process makes it.
 */
export async function takeLost(
  claim: Claim,
  { print, sinceMs }: { readonly print: string; readonly sinceMs: number },
): Promise<Answer | undefined> {
  let found: ClaimedKey | undefined
  await change(claim, (claims) => {
    found = claims.find(([key]) => key === claim.key)?.[1]
    return undefined
  })
  if (found === undefined) return undefined
  const isSame = found.print === print && found.atMs > sinceMs
  const answer = isSame ? await firstAnswer(claim, found.turnId) : undefined
  return (await freeKey(claim)) ? answer : undefined
}

type Claims = readonly (readonly [key: string, ClaimedKey])[]

/** Changes the keys of a conversation. They stand in a session of their own, so that no running turn meets another version. */
async function change({ agent, caller, conversation }: Claim, next: (claims: Claims) => Claims | undefined): Promise<void> {
  const { store } = await contextOf(agent)
  const at: SessionKey = { ...agent.session(conversation).key, conversation: `keys of ${conversation}` }
  // A message without words, so that the keys go with what the user is forgotten with.
  const speaker = { id: caller.user, name: caller.name ?? caller.user }
  const owner: HistoryMessage = { role: "user", text: "", speaker, turnId: "keys", atMs: 0, unanswered: true }
  for (let tries = 1; ; tries++) {
    const record = await store.load(at, { last: 1 })
    const expectVersion = record?.version ?? 0
    const { claims } = record?.state ?? {}
    const after = next(isRecord(claims) ? (Object.entries(claims) as unknown as Claims) : [])
    if (after === undefined) return
    const state = { claims: Object.fromEntries(after.slice(-maxKeys)) }
    const append = expectVersion === 0 ? [owner] : []
    try {
      await store.commit(at, { expectVersion, append, state, jobs: [] })
      return
    } catch (error) {
      if (!PromptStrataError.isInstance(error) || error.code !== "session-conflict" || tries === maxTries) throw error
    }
  }
}

/** The answer of a turn that ended in another process, or before a restart. */
async function firstAnswer({ agent, conversation }: Claim, turnId: string | undefined): Promise<Answer> {
  const answer = turnId === undefined ? undefined : await keptAnswer(agent, conversation, turnId)
  if (!answer) {
    const message = "The same request runs in another process, or was cut off with it. Only the conversation tells."
    throw new HttpProblem(409, message, { code: "idempotency_key_in_use", retryAfterMs: againMs })
  }
  if ((await answer.result).ok) return answer
  const message = "The same request failed before; its words are in the conversation."
  throw new HttpProblem(400, message, { code: "idempotency_key_failed" })
}
