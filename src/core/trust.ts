/**
 * Who wrote the characters of a text. `author` is the developer's own files and code and stands as it is;
 * everything else passes through an encoder. Descriptions from an MCP server are `tool`, recalled text is `memory`.
 */
export type Trust = "author" | "user" | "agent" | "tool" | "memory"
