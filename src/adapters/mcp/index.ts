// Connecting to servers

export type { McpServerSettings } from "../../profile/profile.ts"
export { connectMcp, type McpConnection, type McpServerStatus, type McpUnapprovedTool } from "./connect-mcp.ts"
export type { ElicitAnswer, ElicitRequest, McpOptions, SampleAnswer, SampleRequest } from "./options.ts"
export type { McpWarning } from "./warnings.ts"

// Approving their tools

export { type Fingerprints, fileApprovals, type McpApprovals } from "./approvals.ts"

// Their resources and prompts, as skills or injections

export { injectionFrom, type McpContent, type McpPrompt, type McpResource, skillFrom } from "./resources.ts"
