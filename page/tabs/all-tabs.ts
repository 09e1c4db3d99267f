import type { Tab } from "../tab.ts"
import { Memories } from "./memories.tsx"
import { Prompt } from "./prompt.tsx"
import { Raw, Receipts, Waterfall } from "./turn-tabs.tsx"

/** The tabs of a turn, in their order. The first one is shown at first. */
export const allTabs: readonly Tab[] = [
  { id: "prompt", name: (words) => words.prompt, ofRequest: true, View: Prompt },
  { id: "waterfall", name: (words) => words.waterfall, View: Waterfall },
  { id: "raw", name: (words) => words.raw, ofRequest: true, isShown: ({ request }) => request !== undefined, View: Raw },
  {
    id: "receipts",
    name: (words) => words.receipts,
    isShown: ({ record }) => record.receipts.length > 0,
    View: Receipts,
  },
  {
    id: "memories",
    name: (words) => words.memories,
    isShown: ({ record, info, isServed }) => record.recalled.length > 0 || (isServed && info.memory),
    View: Memories,
  },
]
