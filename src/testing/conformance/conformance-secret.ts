/** The key that every scene's model is made with; shaped like a key, so that it is told apart from words. */
export const conformanceSecret = "sk-conformance-0123456789abcdef"
