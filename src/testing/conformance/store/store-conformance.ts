import type { HistoryMessage, ServiceKey } from "../../../core/conversation.ts"
import type { SessionCommit, SessionStore } from "../../../memory/services/store/session-store.ts"
import type { Store } from "../../../memory/services/store/store.ts"
import { claim, claimEqual, claimRejects, claimSameLines, claimWithout } from "../claims.ts"
import { blobRules, indexCopyRules, userRules } from "./data-rules.ts"
import { exportRules, forgetRules } from "./export-forget-rules.ts"
import { forgetMemoryRules } from "./forget-memory-rules.ts"
import { type JobStore, jobRules, wakeRules } from "./job-rules.ts"
import { memoryRules, visibilityRules } from "./memory-rules.ts"
import {
  bob,
  exported,
  jobOf,
  keep,
  keyOf,
  memoryOf,
  type OpenedService,
  plant,
  type Rules,
  runRules,
  type ServiceCheck,
  type ServiceConformanceOptions,
  said,
  textsOf,
  valuesOf,
} from "./samples.ts"
import { appendRules, noteRules, sessionRules } from "./session-rules.ts"

/** A turn of two messages. Its id is its name. */
function turnOf(name: string, rest: Partial<HistoryMessage> = {}): readonly HistoryMessage[] {
  return [said(`${name} asks`, { turnId: name, ...rest }), said(`${name} told`, { role: "assistant", turnId: name })]
}

/** Commits turns, each behind the one before it; the first one behind `after`. */
async function talk(service: SessionStore, key: ServiceKey, names: readonly string[], after?: SessionCommit["after"]) {
  for (const [at, name] of names.entries()) {
    const behind = at === 0 && after !== undefined ? { after } : {}
    await goOn(service, key, { append: turnOf(name), ...behind })
  }
}

/** Commits against the session's current version. */
async function goOn(service: SessionStore, key: ServiceKey, commit: Partial<SessionCommit>): Promise<void> {
  const { version = 0 } = (await service.load(key, { last: 0 })) ?? {}
  await service.commit(key, { expectVersion: version, append: [], state: {}, jobs: [], ...commit })
}

/** The history's turns, and each turn of the session as `id<parent`, in brackets if it is set aside. */
async function treeOf(service: SessionStore, key: ServiceKey) {
  const { history = [] } = (await service.load(key)) ?? {}
  const turns = (await service.branches(key)).map(({ turnId, parent, isAside }) => {
    const name = parent === undefined ? turnId : `${turnId}<${parent}`
    return isAside ? `(${name})` : name
  })
  return [[...new Set(valuesOf(history, "turnId"))].join(" "), turns.join(" ")]
}

/** Rules of `after` and `branches`. */
const branchRules: Rules<SessionStore> = {
  async "a commit behind an earlier turn sets later turns aside, and one behind a turn that is set aside brings its path back"(
    scene,
  ) {
    const { service, key } = scene
    claimEqual(await service.branches(key), [], "the branches of no session")
    await talk(service, key, ["a", "b", "c"])
    claimEqual(await treeOf(service, key), ["a b c", "a b<a c<b"], "a line of turns")
    await talk(service, key, ["d"], "a")
    claimEqual(await treeOf(service, key), ["a d", "a (b<a) (c<b) d<a"], "another second turn")
    await talk(service, key, ["e"], "b")
    claimEqual(await treeOf(service, key), ["a b e", "a b<a (c<b) (d<a) e<b"], "a turn behind one that was set aside")
    await goOn(service, key, { after: "c" })
    claimEqual(await treeOf(service, key), ["a b c", "a b<a c<b (d<a) (e<b)"], "the first branch again")
    await talk(service, key, ["f"], null)
    claimEqual(await treeOf(service, key), ["f", "(a) (b<a) (c<b) (d<a) (e<b) f"], "a new beginning")
    await goOn(service, key, { after: null })
    claimEqual(await treeOf(service, key), ["", "(a) (b<a) (c<b) (d<a) (e<b) (f)"], "no history at all")
    await service.append(key, [said("g", { turnId: "g" })])
    claimEqual(await treeOf(service, key), ["g", "(a) (b<a) (c<b) (d<a) (e<b) (f) g"], "words that are appended then")
    const [first] = await service.branches(key)
    claimEqual(first, { turnId: "a", isAside: true, messages: turnOf("a") }, "a turn with its messages")
  },
  async "turns that are set aside are not loaded, counted, searched or taken for the end"({ service, key }) {
    await talk(service, key, ["a", "b"])
    await goOn(service, key, { append: [said(" ", { turnId: "c" }), said("c", { turnId: "c" })], after: "a" })
    await service.append(key, [said("heard")])
    claimEqual(textsOf((await service.load(key))?.history), ["a asks", "a told", " ", "c", "heard"], "the history")
    const { history, earlier } = (await service.load(key, { last: 2 })) ?? {}
    claimEqual([textsOf(history), earlier], [["c", "heard"], 2], "the last messages, and the count of those before them")
    claimEqual(textsOf(await service.messages(key, { limit: 9, containing: "b" })), [], "a search for words that are set aside")
    await goOn(service, key, { after: "b" })
    claimEqual(textsOf((await service.load(key))?.history), ["a asks", "a told", "b asks", "b told"], "a branch that is back")
    claimEqual((await service.load(key, { last: 0 }))?.earlier, 4, "its count")
    await goOn(service, key, { after: "a", append: [said("d", { turnId: "d" })] })
    claimEqual((await service.load(key, { last: 1 }))?.earlier, 2, "the count before a new turn")
  },
  async "words that were heard stay in the history behind what replaces their place, if the commit says so"({ service, key }) {
    const hear = (name: string, rest: Partial<HistoryMessage> = {}) =>
      service.append(key, [said(name, { turnId: name, unanswered: true, ...rest })])
    await talk(service, key, ["a", "b"])
    await hear("h")
    await talk(service, key, ["c"])
    await hear("i")
    await hear("failed", { interrupted: true })
    await goOn(service, key, { after: "a", append: turnOf("d"), keepHeard: true })
    const tree = "a (b<a) (c<b) (failed<c) d<a h<d i<h"
    claimEqual(await treeOf(service, key), ["a d h i", tree], "the words behind another second turn")
    claimEqual((await service.load(key, { last: 1 }))?.earlier, 5, "the count of messages before the last")
    await goOn(service, key, { after: "c", keepHeard: true })
    const back = "a b<a c<b (failed<c) (d<a) h<c i<h"
    claimEqual(await treeOf(service, key), ["a b c h i", back], "the words behind a branch that is back")
    claimEqual((await service.load(key, { last: 0 }))?.earlier, 8, "its count")
    await goOn(service, key, { after: "c", append: turnOf("j"), keepHeard: true })
    claimEqual((await treeOf(service, key))[0], "a b c j i", "the history after a turn in the place of heard words")
    await goOn(service, key, { after: "a" })
    claimEqual((await treeOf(service, key))[0], "a", "the history of a commit that does not say so")
  },
  async "a commit behind an unknown turn, or with a turn that is there already, is refused and changes nothing"(scene) {
    const { service, key } = scene
    const append = turnOf("x")
    const commit = { expectVersion: 0, append, state: {}, jobs: [jobOf("refused", key)] }
    await claimRejects(() => service.commit(key, { ...commit, after: "none" }), "usage", "a turn behind one of no session")
    claimEqual(await service.load(key), undefined, "the session after that")
    await talk(service, key, ["a", "b"])
    await goOn(service, key, { after: "a", append: turnOf("c") })
    const before = [await service.load(key), await service.branches(key)]
    const now = { ...commit, expectVersion: 3 }
    await claimRejects(() => service.commit(key, { ...now, after: "none" }), "usage", "a turn behind an unknown one")
    await claimRejects(
      () => service.commit(key, { ...now, after: "a", append: turnOf("b") }),
      "usage",
      "a turn that is set aside",
    )
    await claimRejects(() => service.commit(key, { ...commit, after: "none" }), "session-conflict", "a commit that is late")
    const broken = { ...now, after: "b", state: { run: () => 1 } }
    await claimRejects(() => service.commit(key, broken), "usage", "a state that is no JSON")
    claimEqual([await service.load(key), await service.branches(key)], before, "the session after refused commits")
  },
}

const aside = "canary-aside"

/** A conversation whose turn `turn canary-aside` is set aside, with all that `plant` draws from it, and `talk` that stays. */
async function plantAside(service: Store, key: ServiceKey): Promise<void> {
  await talk(service, key, ["stays"])
  await plant(service, key, aside)
  const insight = { kind: "insight", text: `so ${aside}`, turnId: "stays", sources: [`memory ${aside}`] } as const
  await keep(service, key, memoryOf("insight", key, insight), memoryOf("other", key, { turnId: "stays" }))
}

/** Rules of turns that are set aside in a whole store. */
const asideRules: Rules<Store> = {
  async "what was drawn from a turn is taken back when it is set aside, and nothing else is"({ service, agent, key }) {
    const elsewhere = keyOf(agent, { conversation: "elsewhere" })
    await plantAside(service, key)
    await plant(service, elsewhere, "kept-elsewhere")
    const runs = [{ id: "1", step: 0, tool: "search_memories", args: {}, result: `ann likes ${aside}` }]
    const later = [said("early", { atMs: 500, recalled: ["kept"] }), said("late", { atMs: 2_000, recalled: [aside], runs })]
    await goOn(service, elsewhere, { append: later })
    await goOn(service, key, { after: "stays", append: turnOf("next"), jobs: [jobOf("next", key, { turnId: "next" })] })
    const lines = await exported(service, agent)
    const holding = lines.filter((line) => line.includes(aside)).map((line) => JSON.parse(line).table as string)
    claim(!holding.some((table) => !["message", "note"].includes(table)), "the words in messages and notes alone", holding)
    const heard = (await service.load(elsewhere))?.history.map(({ text, recalled, runs }) => [text, recalled, runs?.length])
    const own = [["I say kept-elsewhere"], ["you say kept-elsewhere"], ["early", ["kept"]], ["late"]]
    claimEqual(
      heard,
      own.map(([text, recalled]) => [text, recalled, undefined]),
      "what other conversations recalled",
    )
    claimEqual(
      valuesOf(await service.memories.recent(key, { limit: 9 }), "id").sort(),
      ["memory kept-elsewhere", "other"],
      "memories",
    )
    claimEqual(await service.memories.vectors([`memory ${aside}`], "m", key), [], "vectors")
    const { statements } = await service.users.load(key)
    claimEqual(valuesOf(statements, "value"), ["kept-elsewhere"], "statements")
    claimEqual(await service.receipts.ofTurn(`turn ${aside}`, key), [], "receipts")
    const done: string[] = []
    await service.jobs.start({ work: async ({ turnId }) => void done.push(turnId) }, { agent })
    await service.jobs.idle()
    claimEqual(done.sort(), ["next", "turn kept-elsewhere"], "the turns whose jobs ran")
  },
  async "a memory holds again when the one that replaced it is taken back"({ service, key }) {
    await talk(service, key, ["stays", "goes"])
    await keep(service, key, memoryOf("older", key, { turnId: "stays" }))
    await service.memories.put(memoryOf("newer", key, { turnId: "goes" }), { hash: "newer", supersedes: ["older"], key })
    await goOn(service, key, { after: "stays" })
    claimEqual(valuesOf(await service.memories.recent(key, { limit: 9 }), "id"), ["older"], "the memories that hold")
    const again = await service.memories.put(memoryOf("again", key), { hash: "hash of older", key })
    claimEqual(again, { stored: false, id: "older" }, "a memory of the same words")
  },
  async "a running job of a turn that is set aside is aborted"({ service, agent, key, until }) {
    await talk(service, key, ["stays"])
    await goOn(service, key, { append: turnOf("gone"), jobs: [jobOf("runs", key, { turnId: "gone" })] })
    let signal: AbortSignal | undefined
    const { promise: hang, resolve: release } = Promise.withResolvers<void>()
    const work = async (_: unknown, attempt: { readonly signal: AbortSignal }): Promise<void> => {
      signal = attempt.signal
      await hang
    }
    await service.jobs.start({ work }, { agent })
    await until(() => signal !== undefined, "the job to run")
    await goOn(service, key, { after: "stays" })
    await until(() => signal?.aborted === true, "the job to be aborted")
    release()
    await service.jobs.idle()
  },
  async "forgetting deletes words that are set aside, and links what is left of their branches"({ service, agent, group }) {
    await goOn(service, group, { append: turnOf("b1", bob) })
    await goOn(service, group, {
      append: [...turnOf("canary-1"), ...turnOf("b2", bob), ...turnOf("canary-2"), ...turnOf("b3", bob)],
    })
    await goOn(service, group, { after: "b1", append: [...turnOf("canary-3"), ...turnOf("b4", bob)] })
    claimEqual((await treeOf(service, group))[0], "b1 canary-3 b4", "the history before")
    await service.forget({ agent, user: "ann" })
    claimWithout(await exported(service, agent), "canary")
    claimEqual(await treeOf(service, group), ["b1 b4", "b1 (b2<b1) (b3<b2) b4<b1"], "the branches of others")
    await goOn(service, group, { after: "b3" })
    claimEqual((await treeOf(service, group))[0], "b1 b2 b3", "a branch after that")
    await goOn(service, group, { after: null })
    for (const scope of [{ agent, user: "bob" }, { agent, conversation: "club" }, { agent }]) {
      await service.forget(scope)
      claimWithout(await exported(service, agent), "asks")
      await goOn(service, group, { append: [...turnOf("b1", bob), ...turnOf("b2", bob)] })
      await goOn(service, group, { after: null })
    }
    const mine = keyOf(agent)
    await goOn(service, mine, { append: turnOf("canary") })
    await goOn(service, mine, { after: null })
    await service.forget({ agent, user: "ann" })
    claimEqual(await service.load(mine), undefined, "a private conversation of words that are set aside alone")
  },
  async "an export holds all branches, and an import makes the same ones"({ service, agent, key }) {
    await talk(service, key, ["a", "b", "c"])
    await talk(service, key, ["d", "e"], "a")
    await talk(service, key, ["f"], "b")
    const [lines, branches, record] = [await exported(service, agent), await service.branches(key), await service.load(key)]
    await service.forget({ agent })
    await service.import(lines)
    claimSameLines(await exported(service, agent), lines, "the second export")
    claimEqual([await service.branches(key), await service.load(key)], [branches, record], "the imported session")
    await goOn(service, key, { after: "e" })
    claimEqual((await treeOf(service, key))[0], "a d e", "a branch of the import")
    claimEqual((await service.load(key, { last: 0 }))?.earlier, 6, "its count")
    const cut = lines.filter((line) => line.includes('"follows"')).map((line) => line.replace(/"follows":\d+/u, '"follows":99'))
    claim(cut.length > 0, "lines of messages that are set aside", lines)
    await service.forget({ agent })
    await claimRejects(() => service.import([...lines.slice(0, 1), ...cut]), "store", "a message behind one that is not there")
  },
}

const allSessionRules = { ...sessionRules, ...appendRules, ...branchRules, ...noteRules }

/**
 * The rules of a {@link Store}: sessions, memories and who sees them, users, receipts, jobs, export, import, forgetting. They are checks
 * for any test runner: `for (const { name, run } of storeConformance(open)) test(name, run)`. Each check opens the store and uses an agent
 * of its own, so all may share one database. Open it with few attempts for each job and short waits between them.
 */
export function storeConformance(
  open: () => Promise<OpenedService<Store>>,
  options: ServiceConformanceOptions = {},
): readonly ServiceCheck[] {
  const rules = { ...memoryRules, ...visibilityRules, ...indexCopyRules, ...userRules, ...exportRules, ...blobRules }
  const forgetting = { ...forgetRules, ...forgetMemoryRules, ...asideRules }
  return [
    ...runRules<SessionStore>("store sessions", allSessionRules, open, options),
    ...runRules<Store>("store", { ...rules, ...forgetting }, open, options),
    ...runRules<JobStore>("store jobs", jobRules, open, options),
    ...runRules<Store>("wakes", wakeRules, open, options),
  ]
}
