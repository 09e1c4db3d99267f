import { entrySources } from "./rooms.ts"

// biome-ignore lint/style/noDefaultExport: knip reads the default export
export default {
  entry: [
    ...Object.values(entrySources),
    "page/main.tsx",
    ".ci/*.{ts,mjs}",
    "test/bench/*.bench.ts",
    "test/bench/day/{by-hand,model-server,ours}.ts",
    "test/mutation/{run,runner,vitest.config}.ts",
    "test/support/{heavy-entry,resolve-to-source,run-programs}.ts",
    "test/**/support/*-child.ts",
  ],
  project: ["src/**/*.ts", "page/**/*.{ts,tsx}", "test/**/*.ts", ".ci/**/*.{ts,mjs}"],
  ignoreExportsUsedInFile: { interface: true, type: true },
  ignore: ["templates/**"],
  ignoreDependencies: [
    "axe-core",
    "@vscode/prompt-tsx",
    "@langchain/core",
    "@llamaindex/core",
    "@mastra/core",
    "@langchain/langgraph",
    "@openai/agents",
    "langchain",
    "mustache",
    "minisearch",
    "stemmer",
    "stopword",
    "stream-json",
    "wink-bm25-text-search",
    "stream-chain",
  ],
  ignoreBinaries: ["mkfifo", "mount", "umount"],
}
