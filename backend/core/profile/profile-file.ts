import { isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml'
import type { Localized } from '../../../contracts/core/locales.ts'
import { fileMessages } from '../i18n.ts'
import { yamlMessage, type PathKey, type Position } from './profile-issues.ts'
import { shortFile, textOf } from '../text-file.ts'

export interface ProfileError {
  readonly file: string
  readonly line: number | null
  readonly column: number | null
  readonly path: string
  /** Path of the setting, one key per element; `what`: whether the error is at its last key or at its value. */
  readonly at: readonly PathKey[]
  readonly what: 'key' | 'value'
  readonly messages: Localized
}

const MAX_PROFILE_BYTES = 1024 * 1024

/** Maximum number of reported errors, because locating each one walks through the file. */
export const MAX_REPORTED = 50
const MORE: Localized = fileMessages('profile.more')

/** Maximum number of YAML aliases, which protects against alias bombs. */
const MAX_ALIASES = { maxAliasCount: 50 }

export const mistakeOf = (file: string, messages: Localized): ProfileError => ({
  file,
  line: null,
  column: null,
  path: '',
  at: [],
  what: 'value',
  messages,
})

export const mistakeAt = (file: string, position: Position, messages: Localized): ProfileError => ({
  ...mistakeOf(file, messages),
  ...position,
})

export const firstOf = (file: string, errors: ProfileError[]): { errors: ProfileError[] } => ({
  errors: [...errors.slice(0, MAX_REPORTED), ...(errors.length > MAX_REPORTED ? [mistakeOf(file, MORE)] : [])],
})

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

export function parseSettings(
  file: string,
  text: string,
): { readonly document: Document; readonly lines: LineCounter } | { errors: ProfileError[] } {
  const lines = new LineCounter()
  // `uniqueKeys` of the library compares each key of a map with all earlier ones, in quadratic time; `repeatedKeys`
  // uses a set.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  // Later syntax errors are mostly consequences of the first, so only that one is reported; but each repeated key is.
  const [first] = [...document.errors, ...document.warnings]
  const syntax = [
    ...(first ? [{ offset: first.pos[0], messages: yamlMessage(first.code, first.message) }] : []),
    ...repeatedKeys(document),
  ]
  if (syntax.length > 0) {
    return firstOf(
      file,
      syntax.map(({ offset, messages }) => {
        const { line, col } = lines.linePos(offset)
        return mistakeAt(file, { line, column: col }, messages)
      }),
    )
  }
  if (document.contents !== null && !isMap(document.contents))
    return { errors: [mistakeAt(file, { line: 1, column: 1 }, fileMessages('profile.noSettings'))] }
  return { document, lines }
}

/** Converts the YAML document to data; null when aliases are recursive or expand too much. */
export function dataOf(document: Document): { readonly data: unknown } | null {
  try {
    const data: unknown = document.toJS(MAX_ALIASES)
    // `JSON.stringify` throws for a recursive structure.
    JSON.stringify(data)
    return { data }
  } catch {
    return null
  }
}

function repeatedKeys(document: Document): { readonly offset: number; readonly messages: Localized }[] {
  const found: number[] = []
  visit(document, {
    Map(_key, group) {
      const seen = new Set<unknown>()
      for (const { key } of group.items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value) && key.range) found.push(key.range[0])
        seen.add(key.value)
      }
      return found.length > MAX_REPORTED ? visit.BREAK : undefined
    },
  })
  return found
    .sort((a, b) => a - b)
    .slice(0, MAX_REPORTED + 1)
    .map((offset) => ({ offset, messages: yamlMessage('DUPLICATE_KEY', '') }))
}

export const pathText = (path: readonly PathKey[]): string =>
  path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`)).join('')

export function unreadable(error: unknown): Localized {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return fileMessages('profile.noFile')
  if (code === 'EFTYPE') return fileMessages('profile.noPlainFile')
  if (code === 'EISDIR') return fileMessages('profile.folder')
  if (code === 'EACCES' || code === 'EPERM') return fileMessages('profile.mayNotRead')
  return fileMessages('profile.unreadable', { reason: String(code ?? error) })
}

const SECRET_KEY = /secret|passw|passphrase|credential|api[-_]?key|private[-_]?key|access[-_]?token|bearer/i
export const SECRET_MESSAGE: Localized = fileMessages('profile.secret')

/** Reports keys that look like secrets, at any level. No message repeats their values. */
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
      return found.length > MAX_REPORTED ? visit.BREAK : undefined
    },
  })
  return found
}
