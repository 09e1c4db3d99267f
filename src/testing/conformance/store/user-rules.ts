import type { ServiceKey } from "../../../core/conversation.ts"
import type { Receipt } from "../../../memory/services/store/receipt.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual, claimRejects } from "../claims.ts"
import { commitOf, keyOf, type Rules, statementOf, valuesOf } from "./samples.ts"

/** Rules of user statements and of receipts. */
export const userRules: Rules<Store> = {
  async "statements are stored in order, one revision for each turn, against the current version"({ service, key }) {
    const { users } = service
    const city = statementOf("city", "Hangzhou", key)
    const moved = statementOf("city", "Beijing", key)
    claimEqual(await users.load(key), { version: 0, statements: [] }, "an unknown user")
    const first = await users.append([city], { turnId: city.turnId, expectVersion: 0, key })
    claimEqual(first, { version: 1, applied: true }, "the first revision")
    const stale = () => users.append([moved], { turnId: moved.turnId, expectVersion: 0, key })
    await claimRejects(stale, "version-conflict", "a change of a version that is gone")
    const again = await users.append([city], { turnId: city.turnId, expectVersion: 0, key })
    claimEqual(again, { version: 1, applied: false }, "the same turn again")
    claimEqual(await users.append([], { turnId: "turn", expectVersion: 1, key }), { version: 1, applied: false }, "no statements")
    await users.append([moved], { turnId: moved.turnId, expectVersion: 1, key })
    claimEqual(await users.load(key), { version: 2, statements: [city, moved] }, "the user")
  },
  async "statements of a turn are kept only while the history has the turn"({ service, agent, key }) {
    const tea = statementOf("drink", "tea", key)
    const append = () => service.users.append([tea], { turnId: tea.turnId, expectVersion: 0, ofTurn: true, key })
    await claimRejects(append, "aborted", "what was drawn from a turn that is not there")
    await service.commit(key, commitOf(0, ["tea"]))
    claimEqual(await append(), { version: 1, applied: true }, "what was drawn from a turn that is there")
    await service.forget({ agent, user: key.user })
    await claimRejects(append, "aborted", "what was drawn from a turn that was forgotten")
    claimEqual(await service.users.load(key), { version: 0, statements: [] }, "the user")
  },
  async "a receipt of a turn is kept only while the history has the turn"({ service, agent, key }) {
    const { turnId } = statementOf("drink", "tea", key)
    const put = (kind: string) =>
      service.receipts.put({ key, turnId, kind, outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 }, { ofTurn: true })
    await claimRejects(() => put("early"), "aborted", "a receipt of a turn that is not there")
    await service.commit(key, commitOf(0, ["tea"]))
    await put("store")
    claimEqual(valuesOf(await service.receipts.ofTurn(turnId, key), "kind"), ["store"], "the receipts of the turn")
    await service.forget({ agent, user: key.user })
    await claimRejects(() => put("late"), "aborted", "a receipt of a turn that was forgotten")
    claimEqual(await service.receipts.ofTurn(turnId, key), [], "the receipts of a turn that was forgotten")
  },
  async "of concurrent changes of one version exactly one is applied"({ service, key }) {
    const change = (at: number) => {
      const statement = statementOf("name", `racer ${at}`, key)
      return service.users.append([statement], { turnId: statement.turnId, expectVersion: 0, key })
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => change(at)))
    const applied = outcomes.filter((outcome) => outcome.status === "fulfilled" && outcome.value.applied)
    claim(applied.length === 1, "exactly one of eight to be applied", applied.length)
    claim((await service.users.load(key)).statements.length === 1, "one statement", await service.users.load(key))
  },
  async "a group sees the statements made in it, and no user sees those of another"({ service, agent, group }) {
    const ann = keyOf(agent)
    const secret = statementOf("health", "secret", ann)
    const aloud = statementOf("city", "Hangzhou", group)
    await service.users.append([secret], { turnId: secret.turnId, expectVersion: 0, key: ann })
    await service.users.append([aloud], { turnId: aloud.turnId, expectVersion: 1, key: group })
    claimEqual(await service.users.load(ann), { version: 2, statements: [secret, aloud] }, "what Ann sees in private")
    claimEqual(await service.users.load(group), { version: 2, statements: [aloud] }, "what is shown in the group")
    // JavaScript may pass an audience that is none; it then sees no more than a group does.
    for (const audience of ["Group", "", undefined]) {
      const unclear = { ...group, audience } as ServiceKey
      claimEqual(await service.users.load(unclear), { version: 2, statements: [aloud] }, `what audience ${audience} sees`)
    }
    const elsewhere = { ...group, conversation: "pub" }
    claimEqual(await service.users.load(elsewhere), { version: 2, statements: [] }, "what is shown in another group")
    for (const other of [keyOf(agent, { user: "bob" }), keyOf(`${agent} 2`), { ...group, user: "bob" }])
      claimEqual(await service.users.load(other), { version: 0, statements: [] }, `what ${JSON.stringify(other)} sees`)
  },
  async "there is one receipt for a turn and kind: the last attempt's, until one is final"({ service, agent, key }) {
    const base = { key, turnId: "t", startedMs: 100, durationMs: 5 }
    const put = (kind: string, outcome: Receipt["outcome"], rest: Partial<Receipt> = {}) =>
      service.receipts.put({ ...base, kind, outcome, attempt: 1, ...rest })
    await put("importance", "timeout", { model: "m" })
    await put("profile", "empty", { model: "m" })
    await put("importance", "ok", { attempt: 2, model: "m", value: { importance: 7 }, usage: { inputTokens: 3 } })
    await put("importance", "failed", { attempt: 3, model: "m" })
    await put("store", "skipped", { message: "below the threshold" })
    const found = (await service.receipts.ofTurn("t", key)).map(({ kind, outcome, attempt }) => `${kind} ${outcome} ${attempt}`)
    claimEqual(found, ["importance ok 2", "profile empty 1", "store skipped 1"], "the turn's receipts")
    claimEqual((await service.receipts.ofTurn("t", key))[0]?.value, { importance: 7 }, "the value to go on with")
    for (const other of [keyOf(agent, { user: "bob" }), keyOf(agent, { conversation: "other" }), keyOf(`${agent} 2`)])
      claimEqual(await service.receipts.ofTurn("t", other), [], `the receipts for ${JSON.stringify(other)}`)
    claimEqual(await service.receipts.ofTurn("other", key), [], "the receipts of another turn")
    const elsewhere = keyOf(agent, { conversation: "other" })
    await put("reflect", "ok", { key: elsewhere, model: "m", startedMs: 200 })
    const since = async (of: ServiceKey, sinceMs: number) =>
      (await service.receipts.since(of, sinceMs)).map(({ kind, attempt }) => `${kind} ${attempt}`).sort()
    claimEqual(await since(key, 0), ["importance 2", "profile 1", "reflect 1", "store 1"], "all receipts of the user")
    claimEqual(await since(key, 101), ["reflect 1"], "receipts since a moment")
    claimEqual(await since(keyOf(agent, { user: "bob" }), 0), [], "receipts of another user")
    const receipts: Receipt[] = [{ ...base, kind: "turn", outcome: "ok", attempt: 1, startedMs: 300 }]
    await service.commit(key, { ...commitOf(0, ["said"]), receipts })
    claimEqual(await since(key, 201), ["turn 1"], "the receipts of a commit")
    const late = { ...commitOf(0, ["late"]), receipts: receipts.map((each) => ({ ...each, kind: "late" })) }
    await claimRejects(() => service.commit(key, late), "session-conflict", "a commit that came too late")
    claimEqual(await since(key, 201), ["turn 1"], "the receipts behind it")
  },
}
