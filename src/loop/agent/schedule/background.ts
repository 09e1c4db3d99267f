// Beyond this border is the work of an agent outside its turns: its jobs, what they ask of models, wakes that are set or ring, and closing.
export { closePlugins } from "../../../memory/services/plugin.ts"
export { createAskModel } from "../ask-model.ts"
export { AgentJobs } from "./agent-jobs.ts"
export { closeWork } from "./close-work.ts"
export { ring, showReminders } from "./ring-wakes.ts"
export { createWakes } from "./wakes.ts"
