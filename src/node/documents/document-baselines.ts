import type { DocumentName } from "../../layers/documents/document.ts"
import type { ReadContext } from "../files/read-ledger.ts"

/** What each document held when a turn began, so that what is taken from it piece by piece is seen in all. */
export interface DocumentBaselines {
  note(context: ReadContext, texts: ReadonlyMap<DocumentName, string>): void
  textOf(context: ReadContext, name: DocumentName): string | undefined
}

/** Turns that run at once are few; what is older is over. */
const maxTurns = 64

/** Makes an empty one. */
export function createDocumentBaselines(): DocumentBaselines {
  const turns = new Map<string, ReadonlyMap<DocumentName, string>>()
  return {
    note(context, texts) {
      turns.set(keyOf(context), texts)
      for (const oldest of turns.keys()) {
        if (turns.size <= maxTurns) break
        turns.delete(oldest)
      }
    },
    textOf: (context, name) => turns.get(keyOf(context))?.get(name),
  }
}

function keyOf({ key, turnId }: ReadContext): string {
  return JSON.stringify([key.agent, key.conversation, key.audience, turnId])
}
