import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

/** A rule broken on purpose: a text of the program’s sources and its replacement. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly breaks: string
  /** Text that occurs once in the source file. White space is not compared, because the formatter may change it. */
  readonly find: string
  /** The replacement; `$NODE` in it is replaced by the found text. */
  readonly put: string
}

/** Start and end of the found text in a source, in UTF-16 units. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** Finds the mutant’s text in a source. Throws unless the text occurs exactly once. */
export function placeOf(source: string, { name, file, find }: Mutant): Place {
  const tokens = find.trim().split(/\s+/)
  const pattern = new RegExp(
    tokens.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('\\s+'),
    'g',
  )
  const [first, ...more] = source.matchAll(pattern)
  if (first === undefined) throw new Error(`${file} no longer has the text of the mutant ${name}`)
  if (more.length > 0) throw new Error(`${file} has the text of the mutant ${name} ${more.length + 1} times`)
  return { start: first.index, end: first.index + first[0].length }
}

/**
 * Returns the source with the mutant applied. Throws if the result does not parse or is unchanged, or if `placeOf`
 * throws.
 */
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
