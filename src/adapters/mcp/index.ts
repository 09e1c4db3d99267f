// Connecting to servers

export type { McpServerSettings } from "../../profile/profile.ts"
export { connectMcp, type McpConnection, type McpServerStatus, type McpUnapprovedTool } from "./connect-mcp.ts"
export type { McpOptions } from "./options.ts"
export type { McpWarning } from "./warnings.ts"

// Approving their tools

export type { Fingerprints, McpApprovals } from "./approvals.ts"

// Their resources and prompts, as skills or injections

export { injectionFrom, type McpContent, skillFrom } from "./resources.ts"
