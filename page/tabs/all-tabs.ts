import type { Tab, TabProps } from "../tab.ts"
import { Compare } from "./compare.tsx"
import { Documents } from "./documents.tsx"
import { Edit } from "./edit.tsx"
import { Forgetting } from "./forgetting.tsx"
import { Growth } from "./growth.tsx"
import { Lorebook } from "./lorebook.tsx"
import { Memories } from "./memories.tsx"
import { Prompt } from "./prompt.tsx"
import { Receipts } from "./receipts.tsx"
import { Timeline } from "./timeline.tsx"
import { hasTools, Tools } from "./tools.tsx"
import { Raw, Waterfall } from "./turn-tabs.tsx"
import { User } from "./user.tsx"

/** The tabs of a turn, in their order. The first one is shown at first. */
export const allTabs: readonly Tab[] = [
  { id: "prompt", name: (words) => words.prompt, ofRequest: true, View: Prompt },
  { id: "waterfall", name: (words) => words.waterfall, View: Waterfall },
  { id: "raw", name: (words) => words.raw, ofRequest: true, isShown: ({ request }) => request !== undefined, View: Raw },
  { id: "tools", name: (words) => words.toolRuns, isShown: ({ record }) => hasTools(record), View: Tools },
  { id: "growth", name: (words) => words.growth, isShown: ({ isServed }) => isServed, View: Growth },
  { id: "compare", name: (words) => words.compare, isShown: ({ isServed }) => isServed, View: Compare },
  { id: "timeline", name: (words) => words.timeline, isShown: ({ isServed }) => isServed, View: Timeline },
  { id: "edit", name: (words) => words.edit, isShown: ({ info, isServed }) => isServed && info.edits, View: Edit },
  {
    id: "lorebook",
    name: (words) => words.lorebook,
    isShown: ({ record }) => (record.requests[0]?.lore ?? []).length > 0,
    View: Lorebook,
  },
  {
    id: "receipts",
    name: (words) => words.receipts,
    isShown: ({ record }) => record.receipts.length + (record.jobs ?? []).length > 0,
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
  {
    id: "documents",
    name: (words) => words.documents,
    isShown: ({ info, isServed }) => isServed && info.documents,
    View: Documents,
  },
]

function canAskMemory({ info, isServed }: TabProps): boolean {
  return isServed && info.memory
}
