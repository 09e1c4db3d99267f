/** What `init` says to the person at the terminal. */
export interface InitWords {
  readonly folder: string
  readonly name: (proposal: string) => string
  readonly done: (made: { readonly folder: string; readonly files: readonly string[] }) => string
}

const en: InitWords = {
  folder: "Folder of the new character: ",
  name: (proposal) => `Its name (${proposal}): `,
  done: ({ folder, files }) =>
    [
      `Wrote ${files.length} files to ${folder}:`,
      ...files.map((file) => `  ${file}`),
      "",
      "Next:",
      ...(folder === "." ? [] : [`  cd ${folder}`]),
      "  npm install",
      "  npm test     # its prompt, as test/prompt.md has it",
      "  npm start    # talk to it",
    ].join("\n"),
}

const zh: InitWords = {
  folder: "新角色的文件夹：",
  name: (proposal) => `角色的名字（${proposal}）：`,
  done: ({ folder, files }) =>
    [
      `已在 ${folder} 写入 ${files.length} 个文件：`,
      ...files.map((file) => `  ${file}`),
      "",
      "接下来：",
      ...(folder === "." ? [] : [`  cd ${folder}`]),
      "  npm install",
      "  npm test     # 提示词应与 test/prompt.md 一致",
      "  npm start    # 开始聊天",
    ].join("\n"),
}

/** The words for a locale: Chinese for `zh*`, else English. */
export function initWords(locale: string): InitWords {
  return locale.startsWith("zh") ? zh : en
}
