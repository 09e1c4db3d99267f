/** The name of the virtual context's plugin, of its hook, and of its part of a session's state. */
export const virtualContextName = "virtual-context"
