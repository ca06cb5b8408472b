import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

/** One rule broken on purpose: a text of the product, and what takes its place. */
export interface Mutant {
  readonly name: string
  /** Relative to the root of the tree, with forward slashes. */
  readonly file: string
  /** The rule that is broken, as the table of a run shows it. */
  readonly breaks: string
  /** Text that the file has once. White space is not compared: the formatter may lay the code out anew. */
  readonly find: string
  /** `$NODE` in it is the text that was found. */
  readonly put: string
}

/** Offsets into a source, in UTF-16 units. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** Where the mutant changes the source. Throws unless its text is there once. */
export function placeOf(source: string, { name, file, find }: Mutant): Place {
  const words = find.trim().split(/\s+/)
  const pattern = new RegExp(
    words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('\\s+'),
    'g',
  )
  const [first, ...more] = source.matchAll(pattern)
  if (first === undefined) throw new Error(`${file} no longer has the text of the mutant ${name}`)
  if (more.length > 0) throw new Error(`${file} has the text of the mutant ${name} ${more.length + 1} times`)
  return { start: first.index, end: first.index + first[0].length }
}

/** The source with the mutant in it. Throws where that does not parse or is the same, and as `placeOf`. */
export function mutated(source: string, mutant: Mutant): string {
  const { start, end } = placeOf(source, mutant)
  const put = mutant.put.split('$NODE').join(source.slice(start, end))
  const broken = source.slice(0, start) + put + source.slice(end)
  if (broken === source) throw new Error(`the mutant ${mutant.name} changes nothing`)
  const [error] = parseSync(mutant.file, broken).errors
  if (error) throw new Error(`${mutant.file} does not parse with the mutant ${mutant.name}: ${error.message}`)
  return broken
}

export const sourceOf = (root: string, { file }: Mutant): string => readFileSync(path.join(root, file), 'utf8')
