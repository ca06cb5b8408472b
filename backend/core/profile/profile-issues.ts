import { isCollection, isMap, isPair, isScalar, isSeq, type Document, type LineCounter, type ParsedNode } from 'yaml'
import { z } from 'zod'
import { expected, isExpected } from '../../../contracts/core/expected.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import { Profile } from '../../../contracts/core/profile.ts'
import { fileMessages } from '../i18n.ts'

export type PathKey = string | number
export interface Position {
  readonly line: number
  readonly column: number
}

export interface ExplainedIssue {
  readonly at: readonly PathKey[]
  readonly what: 'key' | 'value'
  readonly messages: Localized
}

type Issue = z.core.$ZodIssue

/** Explains at most `most` issues of each of two kinds: unknown keys, and all others. */
export function explainIssues(
  all: readonly Issue[],
  document: Document,
  value: unknown,
  most: number,
): ExplainedIssue[] {
  const unknown = all
    .filter((issue) => issue.code === 'unrecognized_keys')
    .slice(0, most)
    .flatMap((issue) => unknownKeys(issue, value, most))
    .slice(0, most)
  const others = all
    .filter((issue) => issue.code !== 'unrecognized_keys')
    .slice(0, most)
    .map((issue) => explain(issue, document))
    // When a key is misspelt, the setting that is missing because of it is not reported.
    .filter(
      (issue) =>
        !unknown.some(
          (other) =>
            other.suggestion !== null &&
            issue.what === 'key' &&
            sameKeys([...other.at.slice(0, -1), other.suggestion], issue.at),
        ),
    )
  return [...unknown, ...others]
}

/** Position of a setting in the file, from 1. A missing setting has the position of the nearest setting around it. */
export function positionOf(
  document: Document,
  lines: LineCounter,
  path: readonly PathKey[],
  what: 'key' | 'value',
): Position {
  let node: unknown = document.contents
  let offset = 0
  for (const [index, key] of path.entries()) {
    const last = index === path.length - 1
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key))
      if (!pair) break
      const keyStart = startOf(pair.key)
      const valueStart = startOf(pair.value)
      offset = (last && what === 'value' && isScalar(pair.value) ? valueStart : keyStart) ?? keyStart ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      const item = node.items[Number(key)]
      if (item === undefined) break
      offset = startOf(item) ?? offset
      node = item
    } else break
  }
  const { line, col } = lines.linePos(offset)
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

const startOf = (node: unknown): number | undefined =>
  isPair(node) ? startOf(node.key) : (node as ParsedNode | null)?.range?.[0]

export function yamlMessage(code: string, message: string): Localized {
  const bracket = /end with a ([\]}])/.exec(message)?.[1]
  if (bracket) return fileMessages('yaml.bracket', { bracket })
  switch (code) {
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
      return fileMessages('yaml.indent')
    case 'TAB_AS_INDENT':
      return fileMessages('yaml.tab')
    case 'DUPLICATE_KEY':
      return fileMessages('yaml.repeatedKey')
    case 'MULTIPLE_DOCS':
      return fileMessages('yaml.secondDocument')
    default: {
      const reason = message.split('\n', 1)[0] ?? ''
      return fileMessages('yaml.other', { reason })
    }
  }
}

function unknownKeys(
  issue: Extract<Issue, { code: 'unrecognized_keys' }>,
  value: unknown,
  most: number,
): (ExplainedIssue & { suggestion: string | null })[] {
  const at = keysOf(issue.path)
  const known = knownKeys(at, value)
  const present = new Set(
    Object.keys(at.reduce<unknown>((here, key) => (here as Record<PathKey, unknown>)[key], value) as object),
  )
  const free = known.filter((name) => !present.has(name))
  return issue.keys.slice(0, most).map((key) => {
    const suggestion = nearest(key, free)
    const list = known.join(', ')
    return {
      at: [...at, key],
      what: 'key',
      suggestion,
      messages: suggestion
        ? fileMessages('setting.unknown', { suggestion })
        : fileMessages('setting.unknownOf', { list }),
    }
  })
}

function explain(issue: Issue, document: Document): ExplainedIssue {
  const at = keysOf(issue.path)
  const expected = expectedBy(issue)
  const node = at.length === 0 ? document.contents : document.getIn(at, true)
  if (node === undefined) {
    return {
      at,
      what: 'key',
      messages: fileMessages('setting.missing', { expected }),
    }
  }
  const found = foundText(node)
  const hint = quotesHint(issue, node)
  return {
    at,
    what: 'value',
    messages: fileMessages('setting.wrong', { expected, found, hint }),
  }
}

export function explainValue(issue: Issue): { readonly at: readonly PathKey[]; readonly messages: Localized } {
  const messages = issue.code === 'unrecognized_keys' ? inEveryLocale(issue.keys.join(', ')) : expectedBy(issue)
  return { at: keysOf(issue.path), messages: fileMessages('setting.shouldBe', { expected: messages }) }
}

/** A number in place of text, or the reverse, is usually a matter of quotation marks. */
function quotesHint(issue: Issue, node: unknown): Localized {
  if (!isScalar(node)) return inEveryLocale('')
  const expectsText =
    (issue.code === 'invalid_type' && issue.expected === 'string') || issue.message === expected('twoDigits')
  if (expectsText && (typeof node.value === 'number' || typeof node.value === 'boolean'))
    return fileMessages('setting.addQuotes', { text: sourceOf(node) })
  const expectsNumber = issue.code === 'invalid_type' && (issue.expected === 'number' || issue.expected === 'int')
  if (expectsNumber && typeof node.value === 'string' && /^-?\d+(\.\d+)?$/.test(node.value))
    return fileMessages('setting.dropQuotes')
  return inEveryLocale('')
}

const inEveryLocale = (text: string): Localized => perLocale(() => text)
const oneOf = (values: readonly unknown[]): Localized =>
  values.length === 1 ? inEveryLocale(String(values[0])) : fileMessages('value.oneOf', { list: values.join(', ') })

function expectedBy(issue: Issue): Localized {
  if (isExpected(issue.message)) return fileMessages(issue.message)
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_NAMES[issue.expected] ?? inEveryLocale(issue.expected)
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_union': {
      const options =
        'options' in issue && Array.isArray(issue.options)
          ? issue.options
          : issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_value' ? inner.values : []))
      return options.length > 0 ? oneOf(options) : inEveryLocale(issue.message)
    }
    case 'too_small':
      return sizeMessage(issue.origin, issue.minimum, 'least')
    case 'too_big':
      return sizeMessage(issue.origin, issue.maximum, 'most')
    case 'invalid_format':
      return 'pattern' in issue && issue.pattern && issue.message.startsWith('Invalid')
        ? fileMessages('value.pattern', { pattern: issue.pattern })
        : inEveryLocale(issue.message)
    default:
      return inEveryLocale(issue.message)
  }
}

function sizeMessage(origin: string, limit: number | bigint, end: 'least' | 'most'): Localized {
  if (origin === 'string' && end === 'least' && limit === 1) return fileMessages('value.string')
  const key = origin === 'string' ? 'value.characters' : origin === 'array' ? 'value.entries' : 'value.amount'
  return fileMessages(key, { end, limit: String(limit), count: Number(limit) })
}

const TYPE_NAMES: Record<string, Localized> = {
  string: fileMessages('value.string'),
  number: fileMessages('value.number'),
  int: fileMessages('value.int'),
  boolean: fileMessages('value.boolean'),
  array: fileMessages('value.array'),
  object: fileMessages('value.object'),
}

function foundText(node: unknown): Localized {
  if (isMap(node)) return TYPE_NAMES.object ?? inEveryLocale('')
  if (isSeq(node))
    return node.items.length === 0 ? fileMessages('value.emptyList') : (TYPE_NAMES.array ?? inEveryLocale(''))
  if (isCollection(node) || !isScalar(node) || node.value === null) return fileMessages('value.nothing')
  const source = clip(sourceOf(node))
  if (typeof node.value === 'number') return fileMessages('value.theNumber', { source })
  if (typeof node.value === 'boolean') return inEveryLocale(source)
  return node.value === '' ? fileMessages('value.emptyText') : fileMessages('value.quoted', { source })
}

const sourceOf = (node: { value: unknown; source?: string | undefined }): string => node.source ?? String(node.value)
const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text)

const keysOf = (path: readonly PropertyKey[]): PathKey[] =>
  path.map((key) => (typeof key === 'number' ? key : String(key)))
const sameKeys = (a: readonly PathKey[], b: readonly PathKey[]): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index])

function knownKeys(path: readonly PathKey[], value: unknown): string[] {
  let schema: z.core.$ZodType | undefined = Profile
  let here = value
  for (const key of [...path, null]) {
    schema = resolveSchema(schema, here)
    if (key === null || schema === undefined) break
    schema = schemaUnder(schema, key)
    here = (here as Record<PathKey, unknown> | undefined)?.[key]
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function schemaUnder(schema: z.core.$ZodType, key: PathKey): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return schema.shape[key]
  if (schema instanceof z.ZodRecord) return schema.valueType
  return schema instanceof z.ZodArray ? schema.element : undefined
}

function resolveSchema(schema: z.core.$ZodType | undefined, value: unknown): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return resolveSchema(schema.unwrap(), value)
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema
  const chosen = (value as Record<string, unknown> | null)?.[schema.def.discriminator]
  return schema.options.find(
    (option) => option instanceof z.ZodObject && option.shape[schema.def.discriminator]?.safeParse(chosen).success,
  )
}

const maxEditDistance = (key: string, name: string): number =>
  Math.max(1, Math.floor(Math.max(key.length, name.length) / 3))

function nearest(key: string, known: readonly string[]): string | null {
  const [best] = known
    .filter((name) => Math.abs(name.length - key.length) <= maxEditDistance(key, name))
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= maxEditDistance(key, best.name) ? best.name : null
}

export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1]
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : Infinity
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1), swap))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
