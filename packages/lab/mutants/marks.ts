import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

/**
 * One rule broken on purpose, at the mark of its name in the sources: a comment `mutant: NAME` and nothing else, on the
 * line before a statement or a property, or before an expression within its line.
 */
export interface Mutant {
  readonly mark: string
  /** What is broken, as the table of a run says it. */
  readonly breaks: string
  /** Takes the place of the node that follows the mark. `$NODE` in it is the node as it stands there. */
  readonly put: string
}

/** A mark and the node that follows it: the largest that begins there. Offsets into the source, in UTF-16 units. */
export interface Mark {
  readonly mark: string
  readonly file: string
  readonly start: number
  readonly end: number
}

const MARK = /^\s*mutant: ([a-z0-9-]+)\s*$/
const NOT_SOURCES = new Set(['node_modules', 'build', 'release'])

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value

/** The largest node that begins at this offset. */
function nodeAt(node: Node, offset: number): Node | undefined {
  if (node.type !== 'Program' && node.start === offset) return node
  for (const child of Object.values(node).flat()) {
    if (!isNode(child) || child.start > offset || child.end <= offset) continue
    const found = nodeAt(child, offset)
    if (found) return found
  }
  return undefined
}

function parse(file: string, source: string) {
  const { program, comments, errors } = parseSync(file, source)
  const [error] = errors
  if (error) throw new Error(`${file} does not parse: ${error.message}`)
  return { program, comments }
}

/** The marks of one source, in its order. Throws where nothing follows one of them that could be replaced. */
export function marksIn(file: string, source: string): Mark[] {
  if (!source.includes('mutant: ')) return []
  const { program, comments } = parse(file, source)
  return comments.flatMap(({ value, end }) => {
    const mark = MARK.exec(value)?.[1]
    if (mark === undefined) return []
    // Other comments may stand between, such as the mark of another mutant of the same node.
    let offset = end
    for (const comment of comments)
      if (comment.start >= offset && source.slice(offset, comment.start).trim() === '') offset = comment.end
    offset += source.slice(offset).search(/\S|$/)
    const node = nodeAt(program, offset)
    if (!node) throw new Error(`${file}: nothing that could be replaced follows the mark ${mark}`)
    return [{ mark, file, start: node.start, end: node.end }]
  })
}

/** The marks of all sources below a folder; the names of their files are relative to it. */
export const marksBelow = (root: string): Mark[] =>
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !NOT_SOURCES.has(entry.name))
    .flatMap(({ name: folder }) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => path.join(folder, name)),
    )
    .flatMap((file) => marksIn(file, readFileSync(path.join(root, file), 'utf8')))

/**
 * What does not fit between the marks of the sources and the mutants of all suites, in words; none when all is well.
 */
export function misfits(marks: readonly Mark[], mutants: readonly Mutant[]): string[] {
  const marked = Map.groupBy(marks, ({ mark }) => mark)
  const listed = Map.groupBy(mutants, ({ mark }) => mark)
  return [
    ...[...marked].flatMap(([mark, places]) =>
      places.length > 1
        ? [`the mark ${mark} stands ${places.length} times: ${places.map(({ file }) => file).join(', ')}`]
        : [],
    ),
    ...[...listed].flatMap(([mark, all]) =>
      all.length > 1 ? [`the mutant ${mark} is listed ${all.length} times`] : [],
    ),
    ...marks.flatMap(({ mark, file }) => (listed.has(mark) ? [] : [`${file}: the mark ${mark} has no mutant`])),
    ...mutants.flatMap(({ mark }) => (marked.has(mark) ? [] : [`the mutant ${mark} has no mark`])),
  ]
}

/** The source with the node at the mark replaced. Throws when what comes out does not parse, or is the same. */
export function mutated(source: string, { file, start, end }: Mark, { mark, put }: Mutant): string {
  const broken = source.slice(0, start) + put.split('$NODE').join(source.slice(start, end)) + source.slice(end)
  if (broken === source) throw new Error(`the mutant ${mark} changes nothing`)
  parse(file, broken)
  return broken
}
