import type { SessionKey } from "../../core/conversation.ts"
import type { DocumentSurroundings, LineOrigin } from "../../memory/services/background/document-memory.ts"
import type { ForgottenScope } from "../../memory/services/store/forgetting.ts"
import type { LearnedFolder, OpenDocuments } from "./learned-folder.ts"
import { documentLines, fieldKey, printLine } from "./learned-lines.ts"
import { lineHash, type WrittenLine } from "./learned-record.ts"

/** An agent, and the mark of lines that are not to be trusted. */
interface Surroundings extends DocumentSurroundings {
  readonly untrusted: string
}

/**
 * Takes out of the documents the lines that were drawn from what a store has just forgotten, and all former contents of these documents.
 * In the place of such a line an earlier text of the same field comes back, if the profile still has it. A line that rests on
 * several turns goes with the first of them. The lines are marked first, so that the rest is done even if this process ends.
 */
export function takeBackLines(place: LearnedFolder, scope: ForgottenScope, agent: Surroundings): Promise<void> {
  return takeOut(place, agent, (line) => isForgotten(line, scope, agent))
}

/** {@link takeBackLines} for the turns of a session that were set aside: their words are no part of its history any more. */
export async function takeBackAside(place: LearnedFolder, key: SessionKey, around: Surroundings): Promise<void> {
  const aside = new Set((await around.store.branches(key)).flatMap(({ isAside, turnId }) => (isAside ? [turnId] : [])))
  const isAside = ({ agent, conversation, audience, turnId }: LineOrigin): boolean =>
    aside.has(turnId) && agent === key.agent && conversation === key.conversation && audience === key.audience
  await takeOut(place, around, async ({ origins }) => origins.some(isAside))
}

async function takeOut(
  place: LearnedFolder,
  around: Surroundings,
  isGone: (line: WrittenLine) => Promise<boolean>,
): Promise<void> {
  const touched = await place.locked(undefined, async (open) => {
    const lines: WrittenLine[] = []
    for (const line of open.record.lines)
      lines.push((await isGone(line)) ? { ...line, forgotten: true, instead: await lineBefore(open, line, around) } : line)
    const paths = new Set(lines.flatMap(({ path, forgotten }) => (forgotten ? [path] : [])))
    if (paths.size > 0)
      await open.save({ ...open.record, lines, waiting: open.record.waiting.filter(({ path }) => !paths.has(path)) })
    return paths
  })
  if (!touched?.size) return
  // The next one to open the folder takes the marked lines out; this does it at once, and throws why one could not be.
  await place.locked(undefined, async ({ record, read }) => {
    for (const { path, forgotten } of record.lines) if (forgotten && touched.has(path)) await read(path)
  })
}

/**
 * The line of a field that stood in the document before another one replaced it, by what the user's profile says now. Undefined if the
 * profile says nothing, or if background work never wrote that line there.
 */
async function lineBefore(
  { record, read }: OpenDocuments,
  { path, hash, field, origins: [origin] }: WrittenLine,
  { userProfile, untrusted }: Surroundings,
): Promise<string | undefined> {
  if (field === undefined || origin === undefined || userProfile === undefined) return undefined
  const standing = documentLines(await read(path)).find((line) => lineHash(line) === hash)
  if (standing === undefined) return undefined
  const holds = (await userProfile.get(origin)).fields.find(({ name }) => fieldKey(name, origin.user) === field)
  if (holds === undefined) return undefined
  const name = origin.audience === "private" ? undefined : /^- (.*?) · /.exec(standing)?.[1]
  const said = { name, field: holds.name, text: holds.value }
  const written = new Set(record.lines.flatMap((line) => (line.path === path && line.field === field ? [line.hash] : [])))
  return [false, true]
    .map((each) => printLine({ ...said, untrusted: each }, untrusted))
    .find((line) => written.has(lineHash(line)))
}

async function isForgotten({ origins }: WrittenLine, scope: ForgottenScope, agent: DocumentSurroundings): Promise<boolean> {
  for (const origin of origins) {
    if (origin.agent !== scope.agent) continue
    if (isInScope(origin, scope)) return true
    if (origin.insight !== undefined ? await isInsightGone(origin, agent) : await isTurnForgotten(origin, scope, agent))
      return true
  }
  return false
}

function isInScope({ user, conversation }: LineOrigin, scope: ForgottenScope): boolean {
  if ("memories" in scope) return false
  if ("user" in scope) return user === scope.user
  return "conversation" in scope ? conversation === scope.conversation : true
}

/** True if a turn's words are there, but not what was drawn from them: somebody forgot a memory of it. A store that never had the turn says nothing. */
async function isTurnForgotten(origin: LineOrigin, scope: ForgottenScope, agent: DocumentSurroundings): Promise<boolean> {
  if (!("memories" in scope) || origin.user !== scope.user || !(await hasTurn(origin, agent))) return false
  const receipts = await agent.receipts.ofTurn(origin.turnId, origin)
  return receipts.every(({ kind }) => kind.startsWith("forget "))
}

async function isInsightGone(origin: LineOrigin, agent: DocumentSurroundings): Promise<boolean> {
  const { insight = "" } = origin
  if (!agent.memory?.get || !(await hasTurn(origin, agent))) return false
  return (await agent.memory.get(insight, origin)) === undefined
}

async function hasTurn(origin: LineOrigin, { store }: DocumentSurroundings): Promise<boolean> {
  const { turnId, fromMs, untilMs } = origin
  const messages = await store.messages(origin, { fromMs, beforeMs: untilMs + 1, limit: 200 })
  return messages.some((message) => message.turnId === turnId)
}
