import { byLocale } from "./by-locale.ts"

/** The words of `init`. */
type InitWords = Readonly<typeof en>

const en = {
  folder: "Folder for the new character: ",
  name: (proposal: string) => `Name of the character (${proposal}): `,
  created: (count: number, folder: string) => `Created ${count} files in ${folder}:`,
  next: "Next steps:",
  test: "compares the prompt with test/prompt.md",
  start: "starts a chat",
}

const zh: InitWords = {
  folder: "新角色的文件夹：",
  name: (proposal) => `角色的名字（${proposal}）：`,
  created: (count, folder) => `已在 ${folder} 中创建 ${count} 个文件：`,
  next: "接下来：",
  test: "比较提示词与 test/prompt.md",
  start: "开始聊天",
}

/** The words for a locale. */
export const initWords = byLocale({ en, zh })
