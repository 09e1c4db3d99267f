const words = (list: string): readonly string[] => list.split(" ")

/** Keys under which turns, profiles and layers put content into prompts. The last three collect what no other slot names. */
export const promptSlots: readonly string[] = [
  ...words(
    "question wake memory_on decision_schema history memories prestart tools tool_groups runs steps note fault file_faults",
  ),
  ...words("persona format skills final_system base developer standing rest"),
]

/**
 * Keys that only the turn fills, also where it has nothing for them. Prompts print some of them as they are, beside the question, so a
 * text from elsewhere would stand there as the author's.
 */
export const turnKeys: ReadonlySet<string> = new Set(
  words("question wake decision_schema prestart tool_groups runs note fault file_faults"),
)

/** Variables that prompts can use although no profile sets them (R3): facts of the profile, and variables with a default. */
export const promptVariables: readonly string[] = [
  ...words("developer_name agent_name user_name user_persona context_count supported_formats examples_context"),
  ...words("own_tone work_mode mini_full_context_count max_jump_mini max_jump_large"),
  ...words(
    "event_remember_years_times event_remember_months_times event_remember_weeks_times event_remember_days_times event_remember_times",
  ),
]
