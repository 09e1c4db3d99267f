import type { SessionKey } from "../../../core/conversation.ts"
import type { Ports } from "../../../core/ports.ts"
import type { WakeRecords } from "../../../memory/services/store/store.ts"
import type { BackgroundWarning, ProfileParts } from "../../turn/turn-context.ts"
import type { AgentOptions } from "../agent-options.ts"
import type { WakeableSession } from "./wake-schedule.ts"

/** The parts of an agent that its wakes need. */
export interface RingParts {
  /** The latest version of the agent. */
  readonly latest: () => Pick<ProfileParts, "profile" | "dialect">
  readonly records: WakeRecords
  readonly session: (key: Omit<SessionKey, "agent">) => Pick<WakeableSession, "wake">
  readonly onWake: AgentOptions["onWake"] | undefined
  readonly ports: Ports
  readonly warn: (told: BackgroundWarning) => void
}
