/** The variables that prompts can name without a profile setting them (R3): facts of the profile, and what has a default. */
export const promptVariables = [
  "developer_name",
  "agent_name",
  "context_count",
  "supported_formats",
  "examples_context",
  "work_mode",
] as const
