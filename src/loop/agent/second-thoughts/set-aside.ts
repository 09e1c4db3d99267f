import { isHeard, type ServiceKey, type SessionKey } from "../../../core/conversation.ts"
import { messageOf } from "../../../core/errors.ts"
import { frozenJson } from "../../../memory/services/store/frozen-json.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import type { SessionCommit, SessionRecord, StoredTurn } from "../../../memory/services/store/session-store.ts"
import { withoutOpenTurn } from "../../turn/open-turn/open-turn.ts"
import type { AgentContext, ReplacedTurns } from "../../turn/turn-context.ts"
import { emptyRecord, sessionState } from "../queue/turn-states.ts"
import { jobsAfter } from "../turn-commit.ts"

/** A session that was loaded, with every turn that it has. */
export interface LoadedSession {
  readonly agent: AgentContext
  readonly key: SessionKey
  readonly record: SessionRecord
  readonly turns: readonly StoredTurn[]
}

/** A session whose history ends elsewhere. Nothing is written yet. */
interface RewoundSession {
  readonly record: SessionRecord
  readonly replaces: ReplacedTurns
  /** True if words that were only heard stay in the history. */
  readonly keepHeard: boolean
}

/** Reads a session with all its turns. A new session has none. */
export async function loadSession(agent: AgentContext, key: SessionKey, record = emptyRecord): Promise<LoadedSession> {
  return { agent, key, record, turns: await agent.store.branches(key) }
}

/**
 * The session as it is when its history ends behind a turn, which may be set aside; `null`: before its first message. Words that were
 * only heard stay, except those of a turn that is `replaced`.
 */
export function rewound(
  { agent, key, record, turns }: LoadedSession,
  after: string | null,
  { keepHeard = true, replaced: inItsPlace }: { readonly keepHeard?: boolean; readonly replaced?: StoredTurn } = {},
): RewoundSession {
  const path = pathTo(turns, after)
  const leaving = turns.filter(({ isAside, turnId }) => !isAside && !path.has(turnId))
  const gone = leaving.filter((turn) => !keepHeard || turn === inItsPlace || !turn.messages.every(isHeard))
  const back = turns.filter(({ isAside, turnId }) => isAside && path.has(turnId))
  const history = turns.flatMap(({ turnId, messages }) => (path.has(turnId) ? messages : []))
  const replaced = { after, turns: gone.map(({ turnId }) => turnId) }
  const hooks: Record<string, unknown> = { ...sessionState(record).hooks }
  const taken = new Set<string>()
  for (const hook of agent.hooks) {
    const notes = record.notes.filter(({ owner }) => owner === hook.name)
    if (hook.setAside === undefined) continue
    try {
      const context = { key: { ...key }, turns: gone, back, state: hooks[hook.name], notes }
      const state = hook.setAside({ ...context, turn: sessionState(record).turns, atMs: agent.ports.clock.nowMs() })
      if (state === undefined) delete hooks[hook.name]
      else hooks[hook.name] = frozenJson(state, "state")
      for (const { id } of notes) taken.add(id)
    } catch (error) {
      const message = `The hook ${hook.name} could not take back what it drew from turns that were set aside: ${messageOf(error)}`
      agent.onWarning({ key: userKey(key), turnId: (gone[0] ?? back[0])?.turnId ?? "", message })
    }
  }
  const notes = record.notes.filter(({ id }) => !taken.has(id))
  return {
    record: { ...record, history, notes, state: { ...withoutOpenTurn(record.state), hooks } },
    replaces: { ...replaced, taken: [...taken] },
    keepHeard,
  }
}

/** The commit that writes a session as {@link rewound} made it. Jobs are asked for turns that return and for those that `append` begins. */
export function commitOf(
  session: LoadedSession,
  { record, replaces, keepHeard }: RewoundSession,
  append: SessionCommit["append"] = [],
): SessionCommit {
  const { agent, key, turns } = session
  const path = pathTo(turns, replaces.after)
  const begun = Map.groupBy(append, ({ turnId }) => turnId)
  const drawn = [
    ...turns.flatMap(({ isAside, turnId, messages }) => (isAside && path.has(turnId) ? [messages] : [])),
    ...begun.values(),
  ]
  const count = sessionState(record).turns
  const jobs = drawn.flatMap((messages, at) => jobsFor({ agent, key, record }, messages, count + at))
  return {
    expectVersion: record.version,
    append,
    after: replaces.after,
    keepHeard,
    state: drawn.length === 0 ? record.state : { ...record.state, turns: count + drawn.length },
    jobs,
    taken: replaces.taken,
  }
}

/**
 * The jobs for a turn that was said before. What its memory switch was then is not known: words from before the last change of the
 * switch are not remembered. Nor is it known which tools ran: the words count as untrusted if the agent has an untrusted tool.
 */
export function jobsFor(
  { agent, key, record }: Omit<LoadedSession, "turns">,
  messages: SessionCommit["append"],
  turn: number,
): readonly Job[] {
  const { memoryOn, memorySinceMs, hooks } = sessionState(record)
  const first = messages[0]
  if (first === undefined || messages.every(({ unanswered }) => unanswered === true)) return []
  const { turnId } = first
  const said = messages.map(({ prestart: _, recalled: __, runs: ___, spent: ____, ...message }) => Object.freeze(message))
  const committed = {
    key: userKey(key, messages.find(({ role }) => role === "user")?.speaker.id),
    turnId,
    turn,
    speaker: first.speaker,
    memoryOn: memoryOn && (memorySinceMs === undefined || first.atMs >= memorySinceMs),
    memorySinceMs,
    messages: Object.freeze(said),
    untrusted: agent.tools.tools.some(({ trust }) => trust === "tool"),
    hookStates: hooks,
  }
  const { conversation, audience } = key
  return jobsAfter(agent, committed, JSON.stringify([turnId, conversation, audience, record.version + 1]))
}

/** Without a speaker, the key of somebody who is known by the conversation alone. */
function userKey(key: SessionKey, user = key.audience === "private" ? key.conversation : `#${key.conversation}`): ServiceKey {
  return { ...key, user }
}

/** The ids of the turns from the conversation's beginning to one of them. */
function pathTo(turns: readonly StoredTurn[], end: string | null): ReadonlySet<string> {
  const byId = new Map(turns.map((turn) => [turn.turnId, turn]))
  const path = new Set<string>()
  for (let turn = byId.get(end ?? ""); turn && !path.has(turn.turnId); turn = byId.get(turn.parent ?? "")) path.add(turn.turnId)
  return path
}
