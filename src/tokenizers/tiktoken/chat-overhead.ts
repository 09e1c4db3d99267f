/**
 * The tokens that OpenAI's chat format adds around messages, by the formula of the OpenAI cookbook ("How to count tokens
 * with tiktoken"): 3 for each message and those of its role, and 3 that prime the reply. Tools are not in it.
 */
export function chatOverhead(messages: readonly { readonly role: string }[], count: (text: string) => number): number {
  return messages.reduce((sum, { role }) => sum + 3 + count(role), 3)
}
