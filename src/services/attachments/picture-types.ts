/** The kinds of pictures that `fileHeader` recognises. They are those that providers take. Apart from it, because models name them. */
export const pictureTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
