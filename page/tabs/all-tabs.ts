import type { Tab, TabProps } from "../tab.ts"
import { Forgetting } from "./forgetting.tsx"
import { Growth } from "./growth.tsx"
import { Lorebook } from "./lorebook.tsx"
import { Memories } from "./memories.tsx"
import { Prompt } from "./prompt.tsx"
import { Receipts } from "./receipts.tsx"
import { Raw, Waterfall } from "./turn-tabs.tsx"
import { User } from "./user.tsx"

/** The tabs of a turn, in their order. The first one is shown at first. */
export const allTabs: readonly Tab[] = [
  { id: "prompt", name: (words) => words.prompt, ofRequest: true, View: Prompt },
  { id: "waterfall", name: (words) => words.waterfall, View: Waterfall },
  { id: "raw", name: (words) => words.raw, ofRequest: true, isShown: ({ request }) => request !== undefined, View: Raw },
  { id: "growth", name: (words) => words.growth, isShown: ({ isServed }) => isServed, View: Growth },
  {
    id: "lorebook",
    name: (words) => words.lorebook,
    isShown: ({ record }) => (record.requests[0]?.lore ?? []).length > 0,
    View: Lorebook,
  },
  {
    id: "receipts",
    name: (words) => words.receipts,
    isShown: ({ record }) => record.receipts.length > 0,
    View: Receipts,
  },
  {
    id: "memories",
    name: (words) => words.memories,
    isShown: (props) => props.record.recalled.length > 0 || canAskMemory(props),
    View: Memories,
  },
  { id: "forgetting", name: (words) => words.forgetting, isShown: canAskMemory, View: Forgetting },
  { id: "user", name: (words) => words.user, isShown: canAskMemory, View: User },
]

function canAskMemory({ info, isServed }: TabProps): boolean {
  return isServed && info.memory
}
