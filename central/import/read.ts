import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isNode, LineCounter, parseDocument } from 'yaml'
import { IMPORT_FILES, IMPORT_KEYS, type ImportData, type ImportName } from './files.ts'

/** Files that cannot be taken; each problem names its file and line, e.g. `collectors.yaml:12: 0.cash: …`. */
export class ImportError extends Error {
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(`the data cannot be imported:\n  ${problems.join('\n  ')}`)
    this.name = 'ImportError'
    this.problems = problems
  }
}

/** Where an entry stands, for problems that show only when the files are laid side by side. */
export interface Read {
  readonly data: ImportData
  readonly placeOf: (name: ImportName, index: number, field?: string) => string
}

const ENDINGS = ['.yaml', '.yml', '.json'] as const

/**
 * Reads a folder of files (YAML or JSON, `<name>.yaml`, `.yml` or `.json`; none must be there, one must). Throws
 * ImportError.
 */
export function readImport(folder: string): Read {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new ImportError([`${folder}: is not a folder`])
  const problems: string[] = []
  const data: Record<string, unknown> = {}
  const places = new Map<ImportName, (path: readonly PropertyKey[]) => string>()
  const known = new Set<string>()
  for (const name of Object.keys(IMPORT_FILES) as ImportName[]) {
    const files = ENDINGS.map((ending) => `${name}${ending}`).filter((file) => existsSync(join(folder, file)))
    const [file, second] = files
    if (file === undefined) continue
    if (second !== undefined) problems.push(`${second}: stands beside ${file}; one of them must go`)
    for (const one of files) known.add(one)
    const { value, lineOf, broken } = readFile(join(folder, file))
    const place = (path: readonly PropertyKey[]): string => `${file}:${lineOf(path)}`
    places.set(name, place)
    if (broken.length > 0) {
      problems.push(...broken.map(({ line, message }) => `${file}:${line}: ${message}`))
      continue
    }
    const parsed = IMPORT_FILES[name].safeParse(value)
    if (parsed.success) {
      data[name] = parsed.data
      problems.push(
        ...repeated(name, parsed.data).map(
          ({ index, first, key }) => `${place([index])}: ${index}: ${key} stands on line ${lineOf([first])} too`,
        ),
      )
    } else
      problems.push(
        ...parsed.error.issues.map(
          (issue) =>
            `${place(issue.path)}: ` +
            `${issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : ''}${issue.message}`,
        ),
      )
  }
  for (const file of readdirSync(folder)) {
    if (!known.has(file) && ENDINGS.some((ending) => file.endsWith(ending)))
      problems.push(`${file}: is none of ${Object.keys(IMPORT_FILES).join(', ')}`)
  }
  if (known.size === 0 && problems.length === 0)
    problems.push(
      `${folder}: holds none of ${Object.keys(IMPORT_FILES)
        .map((name) => `${name}.yaml`)
        .join(', ')}`,
    )
  if (problems.length > 0) throw new ImportError(problems)
  return {
    data: data as ImportData,
    placeOf: (name, index, field) => places.get(name)?.(field === undefined ? [index] : [index, field]) ?? name,
  }
}

/** Entries whose key an earlier entry of the same file has: either might be meant. */
function repeated(name: ImportName, entries: readonly object[]): { index: number; first: number; key: string }[] {
  const seen = new Map<string, number>()
  return entries.flatMap((entry, index) => {
    const fields: Readonly<Record<string, unknown>> = { ...entry }
    // Ids are hexadecimal: their case does not tell them apart.
    const key = IMPORT_KEYS[name]
      .map((field) => (name === 'offers' ? String(fields[field]).toLowerCase() : String(fields[field])))
      .join(' ')
    const first = seen.get(key)
    if (first === undefined) seen.set(key, index)
    return first === undefined ? [] : [{ index, first, key }]
  })
}

interface ReadFile {
  readonly value: unknown
  readonly lineOf: (path: readonly PropertyKey[]) => number
  readonly broken: readonly { readonly line: number; readonly message: string }[]
}

function readFile(path: string): ReadFile {
  const counter = new LineCounter()
  const document = parseDocument(readFileSync(path, 'utf8'), { lineCounter: counter, prettyErrors: false })
  const broken = document.errors.map((error) => ({ line: counter.linePos(error.pos[0]).line, message: error.message }))
  /** The line of the closest thing that is there: a missing field is told at the entry that lacks it. */
  const lineOf = (wanted: readonly PropertyKey[]): number => {
    for (let length = wanted.length; length >= 0; length -= 1) {
      const node: unknown = document.getIn(wanted.slice(0, length), true)
      if (isNode(node) && node.range) return counter.linePos(node.range[0]).line
    }
    return 1
  }
  return { value: broken.length > 0 ? undefined : (document.toJS() as unknown), lineOf, broken }
}
