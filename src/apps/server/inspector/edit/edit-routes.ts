import { redactText } from "../../../../core/secrets/redact.ts"
import { contextOf } from "../../../../loop/agent/published-agents.ts"
import type { PromptFiles } from "../../../../profile/prompt-files.ts"
import { badRequest, HttpProblem } from "../../http-problem.ts"
import { readJsonBody } from "../../read-body.ts"
import { assembleAll } from "../replay/again.ts"
import { fileAnswer, withVariant } from "../replay/replay-route.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route } from "../route.ts"

/** The routes of the profile's files. Without `files` of the inspector there is nothing at these addresses. */
export const editRoutes: readonly Route[] = [
  { method: "GET", path: /^api\/files$/u, answer: list },
  { method: "POST", path: /^api\/files\/read$/u, answer: read },
  { method: "POST", path: /^api\/files\/save$/u, answer: save },
  { method: "POST", path: /^api\/files\/undo$/u, answer: undo },
]

/** A file's text may be larger than other bodies, and JSON may double it. */
const maxTextBytes = 3_000_000

async function list(state: InspectorState): Promise<Response> {
  return fileAnswer(async () => Response.json({ files: await filesOf(state).list() }))
}

/** `{ path }`: the text of a file. 409 for one in which something looks like a key, because a save would lose it. */
async function read(state: InspectorState, { request }: Call): Promise<Response> {
  const files = filesOf(state)
  const { path } = await textsOf(request, "path")
  return fileAnswer(async () => {
    const found = await files.read(path)
    if (redactText(found.text, state.parts.find) !== found.text)
      throw new HttpProblem(
        409,
        `${path} holds something that looks like a key, which this page does not show. Edit it in an editor.`,
      )
    return Response.json(found)
  })
}

/** `{ path, text, hash }`: 422 for a text with which the profile does not load, 409 if the file changed since it was read. */
async function save(state: InspectorState, { request }: Call): Promise<Response> {
  const files = filesOf(state)
  const { path, text, hash } = await textsOf(request, "path", "text", "hash")
  return fileAnswer(async () => {
    const outcome = await withVariant(state, { files: { [path]: text } }, assembleAll)
    if ("problem" in outcome) return jsonWithoutSecrets(state, outcome, 422)
    return changing(state, () => files.save(path, text, { hash }))
  })
}

/** `{ path }`: takes the last save back. */
async function undo(state: InspectorState, { request }: Call): Promise<Response> {
  const files = filesOf(state)
  const { path } = await textsOf(request, "path")
  return fileAnswer(() => changing(state, () => files.undo(path)))
}

/** Changes files. `isLive` is true if the agent has taken them: the page's next message then uses them. */
async function changing(state: InspectorState, change: () => ReturnType<PromptFiles["save"]>): Promise<Response> {
  const before = await contextOf(state.agent)
  const done = await change()
  return Response.json({ ...done, isLive: (await contextOf(state.agent)) !== before })
}

function filesOf({ files }: InspectorState): PromptFiles {
  if (files) return files
  throw new HttpProblem(404, "The inspector was made without `files`, so there is nothing to edit.")
}

async function textsOf<K extends string>(request: Request, ...names: readonly K[]): Promise<Readonly<Record<K, string>>> {
  const body = await readJsonBody(request, maxTextBytes)
  for (const name of names) if (typeof body[name] !== "string") throw badRequest("Expected text.", name)
  return body as Readonly<Record<K, string>>
}
