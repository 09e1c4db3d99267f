import { byLocale } from "./by-locale.ts"
import chinese from "./zh-CN-words.json" with { type: "json" }

/** The words of `chat`, `render` and `undo`. Words for a model are in `prompts/`. */
export type ChatWords = Readonly<typeof en>

const en = {
  demo: "This is the offline demo model. It answers by simple rules. For a real model, set OPENAI_API_KEY (or OPENAI_BASE_URL) and PROMPTSTRATA_MODEL.",
  hint: (agent: string) =>
    `Talking to ${agent}. /help lists the commands. Ctrl-C stops an answer. Ctrl-D, or Ctrl-C twice, leaves.`,
  /** The commands of a conversation. Their names are the same in every language. */
  commands: {
    "/help": "prints these commands",
    "/exit": "leaves",
    "/new": "begins a new conversation; memories stay",
    "/prompt": "prints the prompt of the last question, or of /prompt QUESTION",
    "/memory": "prints the newest memories; /memory WORDS those about them; /memory off and on switch it in this conversation",
    "/approve": "allows the tool call that waits, and goes on with its turn",
    "/deny": "refuses it; /deny REASON tells the model why",
  },
  unknownCommand: (command: string) =>
    `There is no command ${command}; /help lists those there are. A line that begins with a space is sent as it is.`,
  newConversation: (name: string) => `A new conversation: ${name}. Memories stay.`,
  nothingKept: "Nothing is kept in this chat: it has no store (--no-store).",
  /** A kind of warning came again. */
  again: (times: number, message: string) => `! ${times} more: ${message}`,
  everyWarning: 'Each is in "promptstrata memory receipts" or --show trace.',
  /** Comes before the user's input. */
  you: "You",
  prestart: "prestart",
  thinking: "thinking",
  failed: "failed",
  repeated: "repeated call, not run again",
  warning: "warning",
  aborted: "aborted",
  truncated: "the answer is cut off: the model reached its output limit",
  maxSteps: "the step limit was reached, so the model had to answer",
  awaitingApproval: (calls: string) => `a tool call waits for your consent: ${calls}; /approve allows it, /deny refuses it`,
  nothingWaits: "No tool call waits for your consent.",
  repeatedCall: "the model repeated a call, so it had to answer",
  /** The agent chose not to answer. */
  silence: "no answer",
  nothingAsked: "There was no question: the input has only blank lines.",
  asks: (tool: string, action: string) => `${tool} wants to ${action}`,
  allow: "Allow it? [y/N]",
  /** Answers that mean yes, in lower case. */
  yes: ["y", "yes"],
  undone: (path: string, { by, at }: { readonly by: string; readonly at: string }) =>
    `Undid the change to ${path} that ${by} made at ${at}.`,
  removed: (path: string) => `${path} was created by that change. It is deleted.`,
  nothingToUndo: (folder: string) => `There is no change to undo in ${folder}.`,
  /** The question of `render` without `--question`. */
  exampleQuestion: "What time is it?",
}

/** The words for a locale. */
export const chatWords = byLocale({ en, zh: chinese.chat })
