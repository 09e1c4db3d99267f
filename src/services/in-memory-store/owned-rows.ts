import type { HistoryMessage } from "../../core/history.ts"
import type { ServiceKey } from "../../core/keys.ts"
import type { StoreScope } from "../store.ts"
import type { ProfileStatement } from "../user-profile.ts"
import { sessionRowId } from "./row-id.ts"
import type { SessionRow } from "./session-table.ts"
import type { UserRow } from "./user-table.ts"

/** What belongs to a scope, for exporting and forgetting. */
export interface OwnedRows {
  /** `part`: a group, of which the scope's user owns some turns. */
  session(row: SessionRow): "whole" | "part" | "none"
  /** True for a message of a session of which the scope owns a part. */
  message(row: SessionRow): (message: HistoryMessage) => boolean
  key(key: ServiceKey): boolean
  statement(row: Pick<UserRow, "agent" | "user">, statement: ProfileStatement): boolean
}

/** Decides it from the sessions as they are now. */
export function ownedRows(scope: StoreScope, sessions: readonly SessionRow[]): OwnedRows {
  const { agent } = scope
  if ("user" in scope) return ownedByUser(agent, scope.user, sessions)
  const holds = (key: { readonly agent: string; readonly conversation: string }): boolean =>
    key.agent === agent && (!("conversation" in scope) || key.conversation === scope.conversation)
  return {
    session: ({ key }) => (holds(key) ? "whole" : "none"),
    message: () => () => true,
    key: holds,
    statement: (row, { conversation }) => holds({ agent: row.agent, conversation }),
  }
}

function ownedByUser(agent: string, user: string, sessions: readonly SessionRow[]): OwnedRows {
  const spoke = sessions.filter(({ key, history }) => key.agent === agent && history.some((message) => isOf(message, user)))
  const whole = new Set(spoke.filter(({ key }) => key.audience === "private").map(({ key }) => sessionRowId(key)))
  const part = new Set(spoke.filter(({ key }) => key.audience === "group").map(({ key }) => sessionRowId(key)))
  return {
    session({ key }) {
      if (whole.has(sessionRowId(key))) return "whole"
      return part.has(sessionRowId(key)) ? "part" : "none"
    },
    message({ history }) {
      const turns = new Set(history.filter((message) => isOf(message, user)).map(({ turnId }) => turnId))
      return ({ turnId }) => turns.has(turnId)
    },
    key: (key) => key.agent === agent && (key.user === user || whole.has(sessionRowId(key))),
    statement: (row) => row.agent === agent && row.user === user,
  }
}

function isOf({ role, speaker }: HistoryMessage, user: string): boolean {
  return role === "user" && speaker.id === user
}
