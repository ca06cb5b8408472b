import { isCollection, isMap, isPair, isScalar, isSeq, type Document, type LineCounter, type ParsedNode } from 'yaml'
import { z } from 'zod'
import type { Bilingual } from '../contracts/locales.ts'
import { Profile } from '../contracts/profile.ts'

/** Turns what the schema found into the words that an installer needs: where, what was expected, what stands there. */
export type PathKey = string | number
export interface Position {
  readonly line: number
  readonly column: number
}

export interface ExplainedIssue {
  readonly at: readonly PathKey[]
  /** Whether the error stands at the key or at its value. */
  readonly what: 'key' | 'value'
  readonly messages: Bilingual
}

type Issue = z.core.$ZodIssue

/** The first `most` of each kind: a misspelt key, and anything else. */
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
    // A misspelt key and the setting that is missing because of it are one mistake: the one that can be seen is told.
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

/** Where a setting stands, from 1. A missing one is placed at the nearest setting around it. */
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

export function yamlWords(code: string, message: string): Bilingual {
  const bracket = /end with a ([\]}])/.exec(message)?.[1]
  if (bracket)
    return {
      'en-CA': `a bracket was opened before this and not closed; expected ${bracket}`,
      'fr-CA': `un crochet a été ouvert avant ceci et n’est pas fermé; attendu ${bracket}`,
    }
  switch (code) {
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
      return {
        'en-CA': 'this line, or the one before it, is not indented like its neighbours',
        'fr-CA': 'cette ligne, ou celle d’avant, n’est pas en retrait comme ses voisines',
      }
    case 'TAB_AS_INDENT':
      return {
        'en-CA': 'a tab stands where YAML wants spaces',
        'fr-CA': 'une tabulation se trouve là où YAML veut des espaces',
      }
    case 'DUPLICATE_KEY':
      return {
        'en-CA': 'this key stands here for the second time',
        'fr-CA': 'cette clé se trouve ici pour la deuxième fois',
      }
    case 'MULTIPLE_DOCS':
      return {
        'en-CA': 'a second document starts here (“---”); a profile is one',
        'fr-CA': 'un second document commence ici (« --- »); un profil n’en est qu’un',
      }
    default: {
      const reason = message.split('\n', 1)[0] ?? ''
      return { 'en-CA': `this is not YAML: ${reason}`, 'fr-CA': `ceci n’est pas du YAML : ${reason}` }
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
        ? {
            'en-CA': `there is no such setting here. Did you mean “${suggestion}”?`,
            'fr-CA': `ce réglage n’existe pas ici. Vouliez-vous dire « ${suggestion} »?`,
          }
        : {
            'en-CA': `there is no such setting here. Known here: ${list}`,
            'fr-CA': `ce réglage n’existe pas ici. Connus ici : ${list}`,
          },
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
      messages: { 'en-CA': `missing; expected ${expected['en-CA']}`, 'fr-CA': `manque; attendu ${expected['fr-CA']}` },
    }
  }
  const found = foundWords(node)
  const hint = quotesHint(issue, node)
  return {
    at,
    what: 'value',
    messages: {
      'en-CA': `expected ${expected['en-CA']}, found ${found['en-CA']}${hint['en-CA']}`,
      'fr-CA': `attendu ${expected['fr-CA']}, trouvé ${found['fr-CA']}${hint['fr-CA']}`,
    },
  }
}

/** A number where text is wanted, or the other way round, is a matter of quotes. */
function quotesHint(issue: Issue, node: unknown): Bilingual {
  if (!isScalar(node)) return both('')
  const wantsText =
    (issue.code === 'invalid_type' && issue.expected === 'string') || issue.message.includes('in quotes')
  if (wantsText && (typeof node.value === 'number' || typeof node.value === 'boolean'))
    return {
      'en-CA': `. Put it in quotes: "${sourceOf(node)}"`,
      'fr-CA': `. Mettez-le entre guillemets : "${sourceOf(node)}"`,
    }
  const wantsNumber = issue.code === 'invalid_type' && (issue.expected === 'number' || issue.expected === 'int')
  if (wantsNumber && typeof node.value === 'string' && /^-?\d+(\.\d+)?$/.test(node.value))
    return { 'en-CA': '. Take the quotes away', 'fr-CA': '. Enlevez les guillemets' }
  return both('')
}

const both = (text: string): Bilingual => ({ 'en-CA': text, 'fr-CA': text })
const oneOf = (values: readonly unknown[]): Bilingual =>
  values.length === 1
    ? both(String(values[0]))
    : { 'en-CA': `one of ${values.join(', ')}`, 'fr-CA': `l’un de ${values.join(', ')}` }

function expectedBy(issue: Issue): Bilingual {
  const own = OWN_WORDS[issue.message]
  if (own !== undefined) return { 'en-CA': issue.message, 'fr-CA': own }
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_WORDS[issue.expected] ?? both(issue.expected)
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_union': {
      const options =
        'options' in issue && Array.isArray(issue.options)
          ? issue.options
          : issue.errors.flat().flatMap((inner) => (inner.code === 'invalid_value' ? inner.values : []))
      return options.length > 0 ? oneOf(options) : both(issue.message)
    }
    case 'too_small':
      return sizeWords(issue.origin, issue.minimum, 'min')
    case 'too_big':
      return sizeWords(issue.origin, issue.maximum, 'max')
    case 'invalid_format':
      return 'pattern' in issue && issue.pattern && issue.message.startsWith('Invalid')
        ? { 'en-CA': `text of the form ${issue.pattern}`, 'fr-CA': `un texte de la forme ${issue.pattern}` }
        : both(issue.message)
    default:
      return both(issue.message)
  }
}

function sizeWords(origin: string, limit: number | bigint, end: 'min' | 'max'): Bilingual {
  if (origin === 'string' && end === 'min' && limit === 1) return { 'en-CA': 'text', 'fr-CA': 'du texte' }
  const several = Number(limit) > 1
  const [en, fr] =
    origin === 'string'
      ? ['characters', 'caractères']
      : origin === 'array'
        ? several
          ? ['entries', 'entrées']
          : ['entry', 'entrée']
        : ['', '']
  const unit = (word: string | undefined): string => (word ? ` ${word}` : '')
  return end === 'min'
    ? { 'en-CA': `at least ${limit}${unit(en)}`, 'fr-CA': `au moins ${limit}${unit(fr)}` }
    : { 'en-CA': `at most ${limit}${unit(en)}`, 'fr-CA': `au plus ${limit}${unit(fr)}` }
}

const TYPE_WORDS: Record<string, Bilingual> = {
  string: { 'en-CA': 'text', 'fr-CA': 'du texte' },
  number: { 'en-CA': 'a number', 'fr-CA': 'un nombre' },
  int: { 'en-CA': 'a whole number', 'fr-CA': 'un nombre entier' },
  boolean: { 'en-CA': 'true or false', 'fr-CA': 'true ou false' },
  array: { 'en-CA': 'a list', 'fr-CA': 'une liste' },
  object: { 'en-CA': 'a group of settings', 'fr-CA': 'un groupe de réglages' },
}

/** The profile schema's own phrases, in French. A test keeps this table complete. */
export const OWN_WORDS: Record<string, string> = {
  'a regular expression': 'une expression régulière',
  'two digits in quotes, e.g. "01"': 'deux chiffres entre guillemets, p. ex. "01"',
  'an IANA time zone, e.g. America/Toronto': 'un fuseau horaire IANA, p. ex. America/Toronto',
  'an http or https address': 'une adresse http ou https',
  'the http address of a proxy, e.g. http://proxy.example:3128':
    'l’adresse http d’un mandataire, p. ex. http://mandataire.example:3128',
  'an address in plain letters; write others as %C3%A9 and xn--':
    'une adresse en lettres simples; écrivez les autres comme %C3%A9 et xn--',
  'at most four letters or digits': 'au plus quatre lettres ou chiffres',
  'a path that starts with /': 'un chemin qui commence par /',
  'a day such as 2026-11-30': 'une date comme 2026-11-30',
  'dollars and whole cents, e.g. 4.99': 'des dollars et des cents entiers, p. ex. 4.99',
  '3 to 64 letters, digits or signs without spaces': '3 à 64 lettres, chiffres ou signes sans espace',
  'a percentage with at most two decimals': 'un pourcentage d’au plus deux décimales',
  'one to eight printable signs': 'un à huit signes imprimables',
  'thirteen signs such as 02IIIIIVPPPPC or 21IIIIIWWWWWC': 'treize signes tels que 02IIIIIVPPPPC ou 21IIIIIWWWWWC',
  '<internal or external>:<channel>:<client>': '<internal ou external>:<canal>:<client>',
}

function foundWords(node: unknown): Bilingual {
  if (isMap(node)) return TYPE_WORDS.object ?? both('')
  if (isSeq(node))
    return node.items.length === 0
      ? { 'en-CA': 'an empty list', 'fr-CA': 'une liste vide' }
      : (TYPE_WORDS.array ?? both(''))
  if (isCollection(node) || !isScalar(node) || node.value === null) return { 'en-CA': 'nothing', 'fr-CA': 'rien' }
  const source = clip(sourceOf(node))
  if (typeof node.value === 'number') return { 'en-CA': `the number ${source}`, 'fr-CA': `le nombre ${source}` }
  if (typeof node.value === 'boolean') return both(source)
  return node.value === ''
    ? { 'en-CA': 'empty text', 'fr-CA': 'un texte vide' }
    : { 'en-CA': `“${source}”`, 'fr-CA': `« ${source} »` }
}

const sourceOf = (node: { value: unknown; source?: string | undefined }): string => node.source ?? String(node.value)
const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text)

const keysOf = (path: readonly PropertyKey[]): PathKey[] =>
  path.map((key) => (typeof key === 'number' ? key : String(key)))
const sameKeys = (a: readonly PathKey[], b: readonly PathKey[]): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index])

/** Settings that the schema has at a path; for a union, those of the option that the value chose. */
function knownKeys(path: readonly PathKey[], value: unknown): string[] {
  let schema: z.core.$ZodType | undefined = Profile
  let here = value
  for (const key of [...path, null]) {
    schema = settle(schema, here)
    if (key === null || schema === undefined) break
    schema =
      schema instanceof z.ZodObject ? schema.shape[key] : schema instanceof z.ZodArray ? schema.element : undefined
    here = (here as Record<PathKey, unknown> | undefined)?.[key]
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

function settle(schema: z.core.$ZodType | undefined, value: unknown): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return settle(schema.unwrap(), value)
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return schema
  const chosen = (value as Record<string, unknown> | null)?.[schema.def.discriminator]
  return schema.options.find(
    (option) => option instanceof z.ZodObject && option.shape[schema.def.discriminator]?.safeParse(chosen).success,
  )
}

/** How many letters may differ: a third of them. */
const leeway = (key: string, name: string): number => Math.max(1, Math.floor(Math.max(key.length, name.length) / 3))

/** The known key that a person probably meant. One that is too long for all of them is not even compared. */
function nearest(key: string, known: readonly string[]): string | null {
  const [best] = known
    .filter((name) => Math.abs(name.length - key.length) <= leeway(key, name))
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= leeway(key, best.name) ? best.name : null
}

/** Letters put in, left out, changed or swapped with their neighbour (optimal string alignment). */
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
