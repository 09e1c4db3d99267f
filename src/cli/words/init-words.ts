import { byLocale } from "./by-locale.ts"

/** The words of `init`. */
type InitWords = Readonly<typeof en>

interface Written {
  readonly folder: string
  readonly files: readonly string[]
}

const en = {
  folder: "Folder for the new character: ",
  name: (proposal: string) => `Name of the character (${proposal}): `,
  done: ({ folder, files }: Written) =>
    [
      `Created ${files.length} files in ${folder}:`,
      ...files.map((file) => `  ${file}`),
      "",
      "Next steps:",
      ...(folder === "." ? [] : [`  cd ${folder}`]),
      "  npm install",
      "  npm test     # compares the prompt with test/prompt.md",
      "  npm start    # starts a chat",
    ].join("\n"),
}

const zh: InitWords = {
  folder: "新角色的文件夹：",
  name: (proposal) => `角色的名字（${proposal}）：`,
  done: ({ folder, files }) =>
    [
      `已在 ${folder} 中创建 ${files.length} 个文件：`,
      ...files.map((file) => `  ${file}`),
      "",
      "接下来：",
      ...(folder === "." ? [] : [`  cd ${folder}`]),
      "  npm install",
      "  npm test     # 比较提示词与 test/prompt.md",
      "  npm start    # 开始聊天",
    ].join("\n"),
}

/** The words for a locale. */
export const initWords = byLocale({ en, zh })
