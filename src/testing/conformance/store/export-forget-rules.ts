import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual, claimRejects, claimSameLines, claimWithout } from "../claims.ts"
import { enqueue, startWriting } from "./job-rules.ts"
import {
  bob,
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
  type Scene,
  said,
  textsOf,
  valuesOf,
} from "./samples.ts"

async function plantAll({ service, agent, key, group }: Scene<Store>): Promise<void> {
  const theirs = { ...group, user: "bob" }
  await plant(service, key, "ann-secret")
  await plant(service, keyOf(agent, { user: "bob", conversation: "bob's" }), "bob-secret")
  await plant(service, group, "ann-aloud")
  await plant(service, theirs, "bob-aloud")
  await plant(service, keyOf(`${agent} 2`), "ann-elsewhere")
  const insight = { kind: "insight", text: "bob heard ann-aloud", sources: ["memory ann-aloud"] } as const
  const deeper = { kind: "insight", text: "deeper ann-aloud", sources: ["insight"] } as const
  await keep(service, theirs, memoryOf("insight", theirs, insight), memoryOf("deeper", theirs, deeper))
}

/** Rules of forgetting for good. */
export const forgetRules: Rules<Store> = {
  async "forgetting a user deletes all of their words and keeps those of others"(scene) {
    const { service, agent, group } = scene
    await plantAll(scene)
    await service.forget({ agent, user: "ann" })
    const lines = await exported(service, agent)
    for (const word of ["ann-secret", "ann-aloud"]) claimWithout(lines, word)
    const text = lines.join("\n")
    for (const word of ["I say bob-secret", "bob likes bob-secret", "I say bob-aloud", "bob likes bob-aloud"])
      claim(text.includes(word), `${word} to be kept`, "no such line")
    const record = await service.load(group)
    claimEqual(textsOf(record?.history), ["I say bob-aloud", "you say bob-aloud"], "the group's words")
    claimEqual(record?.state, { memoryOn: true, turns: 3 }, "the group's state: switches and counts")
    claimEqual(await service.load(keyOf(agent)), undefined, "the private conversation")
    claimEqual(await service.users.load(keyOf(agent)), { version: 0, statements: [] }, "the user")
    claimEqual(await service.memories.vectors(["memory ann-aloud"], "m", group), [], "vectors")
    const other = (await linesOf(service.export({ agent: `${agent} 2` }))).join("\n")
    claim(other.includes("ann-elsewhere"), "another agent's user of that id to be kept", other)
  },
  async "a private conversation goes with each who spoke in it, and with what was drawn of others there"({ service, agent }) {
    const ann = keyOf(agent, { conversation: "shared" })
    const bob = { ...ann, user: "bob" }
    await plant(service, ann, "ann-shared")
    await plant(service, bob, "bob-shared")
    await plant(service, { ...bob, conversation: "bob's" }, "bob-own")
    const { session, message, note, memory, vector, receipt, job, user, statement } = await service.forget({ agent, user: "ann" })
    const report = { session, message, note, memory, vector, receipt, job, user, statement }
    const counts = { session: 1, message: 4, note: 4, memory: 2, vector: 2, receipt: 2, job: 2, user: 1, statement: 1 }
    claimEqual(report, counts, "what was forgotten")
    const lines = (await exported(service, agent)).filter((line) => !line.startsWith('{"table":"statement"'))
    for (const word of ["ann-shared", "bob-shared"]) claimWithout(lines, word)
    claim(lines.join("\n").includes("bob-own"), "what was said elsewhere to be kept", lines)
  },
  async "a turn that began before a user of its group was forgotten cannot commit any more"(scene) {
    const { service, agent, group } = scene
    await plantAll(scene)
    const { version = 0, state = {} } = (await service.load(group)) ?? {}
    await service.forget({ agent, user: "ann" })
    const [outcome] = await Promise.allSettled([service.commit(group, commitOf(version, ["late"], { state }))])
    claimEqual(outcome.status, "rejected", "a commit with the state of before")
  },
  async "forgetting takes turns that wait for an approval from the conversations that may hold what was forgotten"(scene) {
    const { service, agent } = scene
    const anns = keyOf(agent, { conversation: "ann's other" })
    const bobs = keyOf(agent, { user: "bob", conversation: "bob's" })
    await plant(service, keyOf(agent), "ann-secret")
    for (const { user, ...key } of [anns, bobs]) {
      const approval = { speaker: { id: user, name: user }, calls: [{ askedMs: 5 }], runs: ["ann-secret"] }
      await service.commit(key, commitOf(0, [], { state: { turns: 1, approval: approval, filler: "x".repeat(20_000) } }))
      await service.commit(key, commitOf(1, [], { state: { turns: 2, approval: approval, filler: "x".repeat(20_000) } }))
    }
    await service.forget({ agent, conversation: keyOf(agent).conversation })
    const [hers, his] = [await service.load(anns), await service.load(bobs)]
    claimEqual(Object.keys(hers?.state ?? {}), ["turns", "filler"], "the state of the same person's conversation")
    claimEqual(hers?.version, 3, "its version")
    claimEqual(Object.keys(his?.state ?? {}), ["turns", "approval", "filler"], "the state of another person's conversation")
  },
  async "forgetting a conversation deletes everything that was said in it"(scene) {
    const { service, agent, key } = scene
    await plantAll(scene)
    await service.forget({ agent, conversation: "club" })
    const lines = await exported(service, agent)
    for (const word of ["ann-aloud", "bob-aloud"]) claimWithout(lines, word)
    const text = lines.join("\n")
    for (const word of ["ann-secret", "bob-secret"]) claim(text.includes(word), `${word} to be kept`, "no such line")
    const { version, statements } = await service.users.load(key)
    claimEqual(valuesOf(statements, "value"), ["ann-secret"], "what the user said elsewhere")
    const next = statements.map((statement) => ({ ...statement, turnId: "next" }))
    const report = await service.users.append(next, { turnId: "next", expectVersion: version, key })
    claim(report.applied && report.version > version, "the user's version to go on", report)
  },
  async "forgetting a memory also deletes its text where other conversations recalled it"({ service, agent, key }) {
    const other = keyOf(agent, { conversation: "other" })
    await keep(service, key, memoryOf("m", key, { text: "a canary" }))
    const runs = [{ id: "1", step: 0, tool: "search_memories", args: {}, result: "a canary" }]
    const append = [
      said("what was it?", { recalled: ["a canary"] }),
      said("a bird", { role: "assistant" }),
      said("and?", { runs }),
    ]
    await service.commit(other, commitOf(0, [], { append }))
    await service.forget({ agent, conversation: "talk" })
    const text = (await exported(service, agent)).join("\n")
    claim(text.includes("what was it?") && !text.includes("a canary"), "the words without what was recalled", text)
  },
  async "forgetting a user deletes their memories where others of the group recalled them"({ service, agent, group }) {
    await keep(service, group, memoryOf("m", group, { text: "a canary" }))
    const append = [said("what was it?", { ...bob, recalled: ["a canary"] }), said("a bird", { ...bob, role: "assistant" })]
    await service.commit(group, commitOf(0, [], { append }))
    await service.forget({ agent, user: "ann" })
    const text = (await exported(service, agent)).join("\n")
    claim(text.includes("what was it?") && !text.includes("a canary"), "the words without what was recalled", text)
  },
  async "forgetting a speaker deletes what was appended of their words, and keeps that of others"({ service, agent, group }) {
    await service.append(group, [said("ann-heard"), said("bob-heard", bob)])
    await service.append(group, [said("ann-again"), said("bob-again", bob)])
    claimEqual((await service.forget({ agent, user: "ann" })).message, 2, "the messages forgotten")
    const lines = await exported(service, agent)
    for (const word of ["ann-heard", "ann-again"]) claimWithout(lines, word)
    const { version, history, earlier } = (await service.load(group, { last: 1 })) ?? {}
    claimEqual([textsOf(history), earlier], [["bob-again"], 1], "the words of others")
    await service.append(group, [said("later", bob)])
    const next = await service.load(group)
    claimEqual([next?.version, next?.history.length], [version, 3], "the session after another word")
  },
  async "the id of a job that is done is known until its conversation is forgotten"({ service, agent }) {
    const done = await startWriting(service, agent)
    const job = jobOf("once", keyOf(agent))
    for (const forgotten of [false, true]) {
      if (forgotten) await service.forget({ agent, conversation: job.key.conversation })
      await enqueue(service, job, job)
      await service.jobs.idle()
    }
    claimEqual(done, ["once", "once"], "what was done, before and after forgetting")
  },
  async "a forgotten job never runs"({ service, agent }) {
    await plant(service, keyOf(agent), "ann-secret")
    await plant(service, keyOf(agent, { user: "bob", conversation: "bob's" }), "bob-secret")
    await service.forget({ agent, user: "ann" })
    const done = await startWriting(service, agent)
    await service.jobs.idle()
    claimEqual(done, ["job bob-secret"], "the jobs that ran")
  },
}

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
    const listed = (found: Awaited<ReturnType<Store["conversations"]>>) => found.map(({ key, newest }) => [key, newest.text])
    const sessions = [group, other, key].map(({ user: _, ...session }) => session)
    const all = [
      [sessions[0], "newest"],
      [sessions[1], "late"],
      [sessions[2], "first"],
    ]
    claimEqual(listed(await service.conversations(agent)), all, "the conversations")
    claimEqual(listed(await service.conversations(agent, { limit: 2 })), all.slice(0, 2), "the newest two")
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
