// What the benchmarks import of their peers, so that they type-check where the peers are not installed.
declare module "stream-json"
declare module "stream-json/*"
declare module "stream-chain/*"
declare module "@vscode/prompt-tsx"
declare module "@langchain/core/*"
declare module "@llamaindex/core/*"
declare module "mustache"
declare module "minisearch"
