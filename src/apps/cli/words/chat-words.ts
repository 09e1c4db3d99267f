import { byLocale } from "./by-locale.ts"
import english from "./en-words.json" with { type: "json" }
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of `chat`, `render` and `undo`. Words for a model are in `prompts/`. */
export type ChatWords = Readonly<typeof en>

const en = {
  ...english.chat,
  hint: (agent: string) =>
    `Talking to ${agent}. /help lists the commands. Ctrl-C stops an answer. Ctrl-D, or Ctrl-C twice, leaves.`,
  unknownCommand: (command: string) =>
    `There is no command ${command}; /help lists those there are. A line that begins with a space is sent as it is.`,
  newConversation: (name: string) => `A new conversation: ${name}. Memories stay.`,
  /** A kind of warning came again. */
  again: (times: number, message: string) => `! ${times} more: ${message}`,
  awaitingApproval: (calls: string) => `a tool call waits for your consent: ${calls}; /approve allows it, /deny refuses it`,
  asks: (tool: string, action: string) => `${tool} wants to ${action}`,
  undone: (path: string, { by, at }: { readonly by: string; readonly at: string }) =>
    `Undid the change to ${path} that ${by} made at ${at}.`,
  removed: (path: string) => `${path} was created by that change. It is deleted.`,
  nothingToUndo: (folder: string) => `There is no change to undo in ${folder}.`,
}

/** The words for a locale. */
export const chatWords = byLocale({ en, zh: chinese.chat })
