/** The variables that prompts can name without a profile setting them (R3): facts of the profile, and what has a default. */
export const promptVariables = [
  "developer_name",
  "agent_name",
  "context_count",
  "supported_formats",
  "examples_context",
  "work_mode",
  "mini_full_context_count",
  "max_jump_mini",
  "max_jump_large",
  "event_remember_years_times",
  "event_remember_months_times",
  "event_remember_weeks_times",
  "event_remember_days_times",
  "event_remember_times",
] as const
