// Writes docs/errors.md and its Chinese twin from the comments of the evidence of errors: every code, its fields, and what to do.
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseSync } from "rolldown/utils"
import { type Locale, wholePage, writePages } from "./reference/pages.ts"

const core = new URL("../src/core/", import.meta.url)

/** The parts of a syntax tree that this page is made of. */
interface TreeNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

/** A property of an interface, or an interface: its name, its comment, and its place in the source. */
interface Declared {
  readonly name: string
  readonly comment: string
  readonly node: TreeNode
}

/** An interface with its own and its inherited properties, and the text of the file in which it stands. */
interface Shape extends Declared {
  readonly text: string
  readonly properties: readonly Declared[]
  readonly parents: readonly string[]
}

/** The page, whole. */
export function errorReference(locale: Locale = "en"): string {
  const files = readdirSync(new URL("evidence/", core)).map((file) => readFileSync(new URL(`evidence/${file}`, core), "utf8"))
  const shapes = new Map(files.flatMap(shapesIn).map((shape) => [shape.name, shape]))
  const groups = known(shapes, "ErrorEvidence").parents.map((name) => group(known(shapes, name), shapes))
  return wholePage("errors", groups.join("\n\n"), locale)
}

function group(shape: Shape, shapes: ReadonlyMap<string, Shape>): string {
  const codes = shape.properties.map((code) => {
    const [when = "", advice = ""] = code.comment.split("\n\n")
    if (advice === "")
      throw new Error(`expected the comment of the code ${code.name} to say when, then @remarks with what to do.`)
    const rows = fieldsOf(annotation(code.node), shape.text, shapes).map(row)
    const table = rows.length === 0 ? [] : ["", "| evidence | type | meaning |", "|---|---|---|", ...rows]
    return [`### \`${code.name}\``, "", when, "", `**What to do:** ${advice}`, ...table].join("\n")
  })
  return [`## ${shape.comment}`, ...codes].join("\n\n")
}

interface Field {
  readonly name: string
  readonly type: string
  readonly meaning: string
}

function row({ name, type, meaning }: Field): string {
  if (meaning === "") throw new Error(`expected a comment for the field ${name} of an error's evidence, found none.`)
  return `| \`${name}\` | \`${type.replaceAll("|", "\\|")}\` | ${meaning.replaceAll("|", "\\|")} |`
}

/** The fields of a type: of an interface by its name, inherited ones first, or of an object type in place. */
function fieldsOf(type: TreeNode, text: string, shapes: ReadonlyMap<string, Shape>): Field[] {
  const name = text.slice(type.start, type.end)
  if (name === "NoEvidence") return []
  if (type.type === "TSTypeLiteral")
    return propertiesOf(type.members as TreeNode[], text).map((field) => fieldOf(field, text, shapes))
  const shape = known(shapes, name)
  const inherited = shape.parents.flatMap((parent) => fieldsOf(identifier(parent), parent, shapes))
  return [...inherited, ...shape.properties.map((field) => fieldOf(field, shape.text, shapes))]
}

function identifier(name: string): TreeNode {
  return { type: "Identifier", start: 0, end: name.length }
}

/** A field as the page shows it. Interfaces of this folder are shown with their fields. */
function fieldOf({ name, comment, node }: Declared, text: string, shapes: ReadonlyMap<string, Shape>): Field {
  const type = annotation(node)
  const shown = plainType(text.slice(type.start, type.end)).replace(/\b[A-Z]\w+\b/g, (word) => {
    const shape = shapes.get(word)
    if (!shape) return word
    const inner = shape.properties.map((one) => fieldOf(one, shape.text, shapes))
    return inner.length === 0 ? plainType(aliasOf(shape)) : `{ ${inner.map((one) => `${one.name}: ${one.type}`).join("; ")} }`
  })
  return { name: node.optional === true ? `${name}?` : name, type: shown, meaning: comment.replaceAll("\n", " ") }
}

function plainType(type: string): string {
  return type
    .replaceAll("readonly ", "")
    .replace(/ \| undefined$/, "")
    .replace(/^\s*\| /, "")
    .replace(/\s+/g, " ")
}

function aliasOf({ node, text }: Shape): string {
  const { start, end } = node.typeAnnotation as TreeNode
  return text.slice(start, end)
}

function known(shapes: ReadonlyMap<string, Shape>, name: string): Shape {
  const shape = shapes.get(name)
  if (!shape) throw new Error(`expected an interface ${name} in src/core/evidence, found none.`)
  return shape
}

/** The interfaces and types of a file. */
function shapesIn(text: string): Shape[] {
  const { program, comments } = parseSync("evidence.ts", text)
  return (program.body as unknown as TreeNode[]).flatMap((statement) => {
    const node = (statement.declaration as TreeNode | undefined) ?? statement
    if (node.type !== "TSInterfaceDeclaration" && node.type !== "TSTypeAliasDeclaration") return []
    const { body, extends: parents = [] } = node as TreeNode & { body?: { body: TreeNode[] }; extends?: TreeNode[] }
    return [
      {
        node,
        text,
        name: (node.id as { name: string }).name,
        comment: commentBefore(statement.start, text, comments),
        properties: propertiesOf(body?.body ?? [], text),
        parents: parents.map(({ start, end }) => text.slice(start, end)),
      },
    ]
  })
}

function propertiesOf(members: readonly TreeNode[], text: string): Declared[] {
  const { comments } = parseSync("evidence.ts", text)
  return members.map((node) => {
    const { name, value } = node.key as { name?: string; value?: string }
    return { name: name ?? value ?? "", comment: commentBefore(node.start, text, comments), node }
  })
}

function annotation(node: TreeNode): TreeNode {
  return (node.typeAnnotation as { typeAnnotation: TreeNode }).typeAnnotation
}

/** The text of the comment that ends right before a place: its paragraphs, each on one line. `@remarks` begins a paragraph. */
function commentBefore(start: number, text: string, comments: readonly { value: string; end: number }[]): string {
  const comment = comments.find(({ end }) => end <= start && text.slice(end, start).trim() === "")
  const lines = (comment?.value ?? "").replace(/^\*/, "").split("\n")
  const paragraphs = lines
    .map((line) => line.replace(/^\s*\*?\s?/, "").trimEnd())
    .join("\n")
    .replace(/\s*@remarks /, "\n\n")
    .trim()
    .split(/\n{2,}/)
  return paragraphs.map((paragraph) => paragraph.replaceAll("\n", " ")).join("\n\n")
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePages("errors", errorReference)
