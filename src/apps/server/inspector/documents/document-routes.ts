import { badRequest, HttpProblem } from "../../http-problem.ts"
import { readJsonBody } from "../../read-body.ts"
import { answered } from "../replay/replay-route.ts"
import { type Call, type InspectorState, jsonWithoutSecrets, type Route } from "../route.ts"
import { documentsOf, type InspectedDocuments } from "./documents.ts"

/** The routes of the living documents. */
export const documentRoutes: readonly Route[] = [
  { method: "GET", path: /^api\/documents$/u, answer: list },
  { method: "POST", path: /^api\/documents\/undo$/u, answer: undo },
]

async function list(state: InspectorState): Promise<Response> {
  return answered(async () => jsonWithoutSecrets(state, await documentsOf(folderOf(state))))
}

/**
 * `{ id, hash }`: takes back a change and all later ones of its file, if the file still has this hash; `null`: if there is still no file.
 * The folder does it, as one change that can be undone.
 */
async function undo(state: InspectorState, { request }: Call): Promise<Response> {
  const folder = folderOf(state)
  const { id, hash } = await readJsonBody(request, state.maxBodyBytes)
  if (typeof id !== "string") throw badRequest("Expected the id of a change.", "id")
  if (hash !== null && typeof hash !== "string")
    throw badRequest("Expected the hash of the file that is shown, or null for no file.", "hash")
  if (!folder.undo) throw new HttpProblem(403, "Nothing can be undone here: the inspector was given no `undo`.")
  const undoing = { by: "user", id, expect: hash === null ? ("absent" as const) : { hash } }
  return answered(async () => {
    await folder.undo?.(undoing)
    return list(state)
  })
}

function folderOf({ documents }: InspectorState): InspectedDocuments {
  if (documents) return documents
  throw new HttpProblem(404, "The inspector was given no documents.")
}
