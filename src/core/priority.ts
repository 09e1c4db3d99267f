/** Recommended priorities: lower stands first (S2). */
export const priority = {
  safety: 10,
  behavior: 20,
  characterProfile: 30,
  characterState: 40,
  characterRelationship: 50,
  characterMemories: 60,
  worldBook: 65,
  knowledgeRag: 70,
  toolInstructions: 80,
  reactionPlan: 90,
  default: 100,
} as const
