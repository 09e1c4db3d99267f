import { expect } from "vitest"
import { query } from "./database.ts"

/** A stored turn. */
export interface StoredTurn {
  readonly turnId: string
  readonly conversation: string
}

/** The turns of an agent by conversation. Fails when a turn is incomplete or stored twice. */
export async function storedTurns(url: string, agent: string): Promise<readonly StoredTurn[]> {
  const rows = await query<{ turn_id: string; conversation: string; roles: string }>(
    url,
    `select turn_id, conversation, string_agg(role, ' ' order by position) as roles, min(position) as first
     from messages where agent = $1 group by turn_id, conversation order by conversation, first`,
    [agent],
  )
  expect(rows.filter(({ roles }) => roles !== "user assistant")).toEqual([])
  expect(new Set(rows.map(({ turn_id }) => turn_id)).size, "turns that are there once").toBe(rows.length)
  return rows.map(({ turn_id, conversation }) => ({ turnId: turn_id, conversation }))
}

/** Fails unless every turn was committed with its job and every session has the right count of turns. */
export async function checkCommits(url: string, agent: string): Promise<void> {
  const turns = await storedTurns(url, agent)
  const jobs = await query<{ turn: string }>(
    url,
    "select (data->>'body')::json->>'turnId' as turn from pgboss.job where data->>'agent' = $1 order by 1",
    [agent],
  )
  expect(jobs.map(({ turn }) => turn)).toEqual(turns.map(({ turnId }) => turnId).sort())
  const wrong = await query(
    url,
    `select s.conversation, s.version, count(m.position) from sessions s
     left join messages m using (agent, conversation, audience)
     where s.agent = $1 group by s.conversation, s.version having s.version * 2 <> count(m.position)`,
    [agent],
  )
  expect(wrong).toEqual([])
}

/**
 * Holds the results of background work against an oracle that does one turn after the other. Each turn has one memory, one receipt of
 * each kind and one revision of its user. The revisions count up without a gap, those of a conversation in the order of its turns.
 */
export async function checkEffects(url: string, agent: string): Promise<void> {
  const turns = await storedTurns(url, agent)
  const ids = turns.map(({ turnId }) => turnId).sort()
  const turnsOf = async (text: string) => (await query<{ turn_id: string }>(url, text, [agent])).map((row) => row.turn_id)
  expect(await turnsOf(`select turn_id from memories where agent = $1 order by turn_id collate "C"`)).toEqual(ids)
  for (const kind of ["importance", "profile"])
    expect(
      await turnsOf(`select turn_id from receipts where agent = $1 and kind = '${kind}' order by turn_id collate "C"`),
    ).toEqual(ids)
  await checkRevisions(url, agent, turns)
  const left = "select id from pgboss.job where data->>'agent' = $1 and (name = 'promptstrata-dead' or state <> 'completed')"
  expect(await query(url, left, [agent]), "jobs that wait, run or are dead").toEqual([])
}

async function checkRevisions(url: string, agent: string, turns: readonly StoredTurn[]): Promise<void> {
  const rows = await query<{ user_id: string; turn_id: string; conversation: string; value: string }>(
    url,
    `select user_id, turn_id, conversation, body::json->>'value' as value from statements where agent = $1 order by user_id, position`,
    [agent],
  )
  expect(rows).toHaveLength(turns.length)
  const counts = new Map<string, number>()
  for (const { user_id, value } of rows) {
    counts.set(user_id, (counts.get(user_id) ?? 0) + 1)
    expect(Number(value), `what ${user_id} had been counted to`).toBe(counts.get(user_id))
  }
  const users = await query<{ user_id: string; version: number }>(url, "select user_id, version from users where agent = $1", [
    agent,
  ])
  expect(new Map(users.map(({ user_id, version }) => [user_id, version]))).toEqual(counts)
  // The revisions of one user and conversation are in the order of the turns.
  const order = new Map(turns.map(({ turnId }, at) => [turnId, at]))
  const last = new Map<string, number>()
  for (const { user_id, conversation, turn_id } of rows) {
    const lane = JSON.stringify([user_id, conversation])
    const at = order.get(turn_id) ?? -1
    expect(at, `the turn after which ${turn_id} came`).toBeGreaterThan(last.get(lane) ?? -1)
    last.set(lane, at)
  }
}
