import { isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml'
import type { Localized } from '../../../contracts/core/locales.ts'
import { fileMessages } from '../i18n.ts'
import { yamlWords, type PathKey, type Position } from './profile-issues.ts'
import { shortFile, textOf } from '../text-file.ts'

/** One thing that is wrong with a profile, for the installer who has to mend it. */
export interface ProfileError {
  readonly file: string
  /** From 1; null when the file could not be read at all. */
  readonly line: number | null
  readonly column: number | null
  /** The setting, e.g. "lanes[0].deviceId"; empty for the file as a whole. */
  readonly path: string
  /** The same key by key, and whether the mistake stands at the last key or at its value. */
  readonly at: readonly PathKey[]
  readonly what: 'key' | 'value'
  readonly messages: Localized
}

/** Far more than any store needs: what is larger is some other file. */
const MAX_PROFILE_BYTES = 1024 * 1024

/** As many mistakes as anybody mends before looking again: finding the place of each walks the file. */
export const MOST_TOLD = 50
const MORE: Localized = fileMessages('profile.more')

/** More only a file has that is made to be too much. */
const MOST_ALIASES = { maxAliasCount: 50 }

/** A mistake of the file as a whole. */
export const mistakeOf = (file: string, messages: Localized): ProfileError => ({
  file,
  line: null,
  column: null,
  path: '',
  at: [],
  what: 'value',
  messages,
})

/** A mistake at a place that belongs to no setting. */
export const mistakeAt = (file: string, position: Position, messages: Localized): ProfileError => ({
  ...mistakeOf(file, messages),
  ...position,
})

/** The mistakes that are told, and that there are more. */
export const firstOf = (file: string, errors: ProfileError[]): { errors: ProfileError[] } => ({
  errors: [...errors.slice(0, MOST_TOLD), ...(errors.length > MOST_TOLD ? [mistakeOf(file, MORE)] : [])],
})

/** The text of a file of settings, or why there is none. */
export function readSettings(file: string): { text: string } | { errors: ProfileError[] } {
  try {
    const bytes = shortFile(file)
    if (bytes.byteLength > MAX_PROFILE_BYTES) return { errors: [mistakeOf(file, fileMessages('profile.tooLarge'))] }
    const read = textOf(bytes)
    if ('text' in read) return read
    return {
      errors: [
        read.line === null
          ? mistakeOf(file, read.messages)
          : mistakeAt(file, { line: read.line, column: 1 }, read.messages),
      ],
    }
  } catch (error) {
    return { errors: [mistakeOf(file, unreadable(error))] }
  }
}

/** A document of settings, empty or a group of them; or what is wrong with its YAML. */
export function parseSettings(
  file: string,
  text: string,
): { readonly document: Document; readonly lines: LineCounter } | { errors: ProfileError[] } {
  const lines = new LineCounter()
  // The parser would compare each key of a group with all before it: `repeatedKeys` looks them up.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  // What follows a first syntax error is mostly its consequence; keys that stand twice are each a mistake of their own.
  const [first] = [...document.errors, ...document.warnings]
  const syntax = [
    ...(first ? [{ offset: first.pos[0], words: yamlWords(first.code, first.message) }] : []),
    ...repeatedKeys(document),
  ]
  if (syntax.length > 0) {
    return firstOf(
      file,
      syntax.map(({ offset, words }) => {
        const { line, col } = lines.linePos(offset)
        return mistakeAt(file, { line, column: col }, words)
      }),
    )
  }
  if (document.contents !== null && !isMap(document.contents))
    return { errors: [mistakeAt(file, { line: 1, column: 1 }, fileMessages('profile.noSettings'))] }
  return { document, lines }
}

/** The settings as data; null where they refer to themselves too often, or for ever. */
export function dataOf(document: Document): { readonly data: unknown } | null {
  try {
    const data: unknown = document.toJS(MOST_ALIASES)
    // A group that is in itself has no end.
    JSON.stringify(data)
    return { data }
  } catch {
    return null
  }
}

/** Where in the text a key stands that its group has already. */
function repeatedKeys(document: Document): { readonly offset: number; readonly words: Localized }[] {
  const found: number[] = []
  visit(document, {
    Map(_key, group) {
      const seen = new Set<unknown>()
      for (const { key } of group.items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value) && key.range) found.push(key.range[0])
        seen.add(key.value)
      }
      return found.length > MOST_TOLD ? visit.BREAK : undefined
    },
  })
  return found
    .sort((a, b) => a - b)
    .slice(0, MOST_TOLD + 1)
    .map((offset) => ({ offset, words: yamlWords('DUPLICATE_KEY', '') }))
}

export const pathText = (path: readonly PathKey[]): string =>
  path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`)).join('')

/** Why the system does not let a file be read. */
export function unreadable(error: unknown): Localized {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return fileMessages('profile.noFile')
  if (code === 'EFTYPE') return fileMessages('profile.noPlainFile')
  if (code === 'EISDIR') return fileMessages('profile.folder')
  if (code === 'EACCES' || code === 'EPERM') return fileMessages('profile.mayNotRead')
  return fileMessages('profile.unreadable', { reason: String(code ?? error) })
}

const SECRET_KEY = /secret|passw|passphrase|credential|api[-_]?key|private[-_]?key|access[-_]?token|bearer/i
export const SECRET_WORDS: Localized = fileMessages('profile.secret')

/** Keys that look like a secret, wherever they stand. Their values are never repeated in a message. */
export function secretKeys(document: Document): PathKey[][] {
  const found: PathKey[][] = []
  visit(document, {
    Pair(_key, pair, ancestors) {
      if (!isScalar(pair.key) || !SECRET_KEY.test(String(pair.key.value))) return undefined
      const path: PathKey[] = []
      ancestors.forEach((ancestor, index) => {
        const child = ancestors[index + 1] ?? pair
        if ('key' in ancestor && isScalar(ancestor.key)) path.push(String(ancestor.key.value))
        else if ('items' in ancestor && !isMap(ancestor)) path.push((ancestor.items as unknown[]).indexOf(child))
      })
      found.push([...path, String(pair.key.value)])
      return found.length > MOST_TOLD ? visit.BREAK : undefined
    },
  })
  return found
}
