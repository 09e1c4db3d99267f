import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from "ai"

/** The state behind `useChat`. */
export class PageChat extends AbstractChat<UIMessage> {
  constructor(fetch: unknown) {
    const state: ChatState<UIMessage> = {
      ...{ status: "ready", error: undefined, messages: [] },
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (at, message) => void state.messages.splice(at, 1, message),
      snapshot: structuredClone,
    }
    const transport = new DefaultChatTransport({ api: "http://bot.test/api/chat", fetch: fetch as never })
    super({ id: "c", transport, state, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses })
  }

  get part() {
    const part = this.messages.at(-1)?.parts.findLast(({ type }) => type === "dynamic-tool")
    return part as unknown as { readonly state: string; readonly approval: { readonly id: string }; readonly output?: unknown }
  }

  get shown() {
    return this.messages.map(({ role, parts }) => [role, parts.flatMap((part) => (part.type === "text" ? [part.text] : []))])
  }
}
