/**
 * The tokens that OpenAI's chat format adds around messages, by the formula of the OpenAI cookbook ("How to count tokens
 * with tiktoken"): 3 for each message and those of its role, and 3 that prime the reply. Tools are counted apart.
 */
export function chatOverhead(messages: readonly { readonly role: string }[], count: (text: string) => number): number {
  const ofRoles = new Map<string, number>()
  let tokens = 3
  for (const { role } of messages) {
    const ofRole = ofRoles.get(role) ?? count(role)
    ofRoles.set(role, ofRole)
    tokens += 3 + ofRole
  }
  return tokens
}
