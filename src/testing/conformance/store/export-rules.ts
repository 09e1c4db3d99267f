import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual, claimRejects, claimSameLines } from "../claims.ts"
import {
  commitOf,
  exported,
  hardTexts,
  jobOf,
  keep,
  keyOf,
  linesOf,
  memoryOf,
  plant,
  type Rules,
  said,
  textsOf,
  valuesOf,
} from "./samples.ts"

/** Rules of exporting, importing and checking. */
export const exportRules: Rules<Store> = {
  async "the conversations of an agent come by their newest message, the newest first, and those without words not at all"(
    scene,
  ) {
    const { service, agent, key, group } = scene
    const other = keyOf(agent, { conversation: hardTexts.join(" ") })
    const at = (text: string, atMs: number) => ({ expectVersion: 0, append: [said(text, { atMs })], state: {}, jobs: [] })
    claimEqual(await service.conversations(agent), [], "the conversations of an agent that nobody spoke to")
    await service.commit(key, at("first", 10))
    await service.commit(group, at("newest", 30))
    await service.commit(other, at("early", 5))
    await service.append(other, [said("late", { atMs: 20 })])
    await service.commit(keyOf(`${agent} 2`), at("of another agent", 40))
    await service.post(keyOf(agent, { conversation: "notes alone" }), { id: "note", owner: "hook", payload: {} })
    const shown = (found: Awaited<ReturnType<Store["conversations"]>>) => found.map(({ key, newest }) => [key, newest.text])
    const sessions = [group, other, key].map(({ user: _, ...session }) => session)
    const all = [
      [sessions[0], "newest"],
      [sessions[1], "late"],
      [sessions[2], "first"],
    ]
    claimEqual(shown(await service.conversations(agent)), all, "the conversations")
    claimEqual(shown(await service.conversations(agent, { limit: 2 })), all.slice(0, 2), "the newest two")
  },
  async "export, forget and import lead back to the same export, byte for byte"({ service, agent, key, group }) {
    for (const [at, text] of hardTexts.entries()) await plant(service, keyOf(agent, { conversation: `c${at}` }), text)
    await plant(service, group, "aloud")
    await plant(service, { ...group, user: "bob" }, "bob aloud")
    await plant(service, key, "secret")
    await service.memories.put(memoryOf("newer", key), { hash: "newer", supersedes: ["memory secret"], key })
    const before = await exported(service, agent)
    const session = await service.load(key)
    const report = await service.forget({ agent })
    claimEqual(await exported(service, agent), [], "the export after everything was forgotten")
    const counts = await service.import(before)
    claimSameLines(await exported(service, agent), before, "the second export")
    const put = Object.values(counts).reduce((sum, count) => sum + count, 0)
    claim(put === before.length, `${before.length} rows to be put`, counts)
    claim(report.message !== undefined && report.message === counts.message, "as many messages forgotten as put", [
      report,
      counts,
    ])
    claimEqual(await service.load(key), session, "the session after the way there and back")
    claimEqual(await service.import(before), {}, "what a second import puts")
    claimSameLines(await exported(service, agent), before, "the export after a second import")
    const again = await service.memories.put(memoryOf("again", key), { hash: "newer", key })
    claimEqual(again, { stored: false, id: "newer" }, "a duplicate of an imported memory")
  },
  async "an import keeps existing sessions, and an imported session can be continued"({ service, agent, key }) {
    await plant(service, key, "exported")
    const lines = await exported(service, agent)
    await service.forget({ agent })
    await service.commit(key, commitOf(0, ["already there"]))
    await service.import(lines)
    claimEqual(textsOf((await service.load(key))?.history), ["already there"], "a session that was there")
    await service.forget({ agent })
    await service.import(lines)
    const version = (await service.load(key))?.version ?? 0
    claimEqual(await service.commit(key, commitOf(version, ["next"])), { version: version + 1 }, "the next commit")
    const isPosted = await service.post(key, { id: "taken turn exported", owner: "hook", payload: {} })
    claimEqual(isPosted, false, "posting an imported note's id")
  },
  async "an export holds only the rows of its scope: an agent, a user or a conversation"({ service, agent, group }) {
    const ann = keyOf(agent)
    const bob = keyOf(agent, { user: "bob", conversation: "bob's" })
    await plant(service, ann, "ann-secret")
    await plant(service, bob, "bob-secret")
    await plant(service, group, "ann-aloud")
    await plant(service, { ...group, user: "bob" }, "bob-aloud")
    await plant(service, keyOf(`${agent} 2`), "foreign")
    const scopes = [
      [{ agent }, ["ann-secret", "bob-secret", "ann-aloud", "bob-aloud"]],
      [{ agent, user: "ann" }, ["ann-secret", "ann-aloud"]],
      [{ agent, user: "bob" }, ["bob-secret", "bob-aloud"]],
      [{ agent, conversation: "club" }, ["ann-aloud", "bob-aloud"]],
      [{ agent, conversation: "talk" }, ["ann-secret"]],
      [{ agent: "nobody" }, []],
    ] as const
    for (const [scope, words] of scopes) {
      const text = (await linesOf(service.export(scope))).join("\n")
      const held = ["ann-secret", "bob-secret", "ann-aloud", "bob-aloud", "foreign"].filter((word) => text.includes(word))
      claimEqual(held, words, `the words in the export of ${JSON.stringify(scope)}`)
    }
  },
  async "an import leaves a receipt that is there as it is, also one of work that goes on"({ service, agent, key }) {
    const receipt = { key, turnId: "t", kind: "profile", startedMs: 1, durationMs: 1 } as const
    await service.receipts.put({ ...receipt, outcome: "timeout", attempt: 1 })
    const lines = await exported(service, agent)
    await service.receipts.put({ ...receipt, outcome: "failed", attempt: 2 })
    claimEqual(await service.import(lines), {}, "the rows imported")
    claimEqual(valuesOf(await service.receipts.ofTurn("t", key), "attempt"), [2], "the attempt of the receipt")
  },
  async "check tells of a job that failed for good"({ service, agent }) {
    const job = jobOf("given up", keyOf(agent))
    await service.import([JSON.stringify({ table: "job", job, attempts: 5, error: "the reason" })])
    const dead = await service.jobs.dead()
    claim(
      dead.some(({ error }) => error === "the reason"),
      "the dead letter",
      dead,
    )
    const { ok, problems } = await service.check()
    const told = problems.filter((problem) => problem.includes("failed for good"))
    claim(!ok && told.length === 1 && told[0]?.includes(`${dead.length} `) === true, "one problem with their number", problems)
  },
  async "a line that is no row is refused with its line number"({ service, agent, key }) {
    await keep(service, key, memoryOf("a", key))
    const lines = await exported(service, agent)
    // Other checks leave jobs that failed for good, which `check` tells.
    const before = await service.check()
    claim(before.ok || (await service.jobs.dead()).length > 0, "a sound store", before.problems)
    for (const broken of ["{", "[]", '{"table":"users; DROP"}', '{"table":"memory"}'])
      await claimRejects(() => service.import([...lines, broken]), "store", `the line ${broken}`)
    const { ok, problems, counts } = await service.check()
    claimEqual({ ok, problems }, { ok: before.ok, problems: before.problems }, "what the check found, after the refused lines")
    claim((counts.memory ?? 0) >= 1, "the memories counted", counts)
  },
}
