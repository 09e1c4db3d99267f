const telling =
  /\d|我叫|我是|我在|我住|我喜欢|我爱|我讨厌|我的|记得|记住|生日|约定|my name|i am |i'm |i live|i like|i love|i hate|my |remember|birthday|promise/i

/** What a background prompt is answered with; undefined for a prompt of a turn. What tells of the user is worth keeping, the rest is not. */
export function backgroundAnswer(prompt: string, said: string): string | undefined {
  const importance = telling.test(said) ? 6 : 2
  if (prompt === "importance") return String(importance)
  if (prompt === "user-profile") return "{}"
  if (prompt === "importance-and-profile") return JSON.stringify({ importance, profile: {} })
  return prompt === "reflection" ? "[]" : undefined
}
