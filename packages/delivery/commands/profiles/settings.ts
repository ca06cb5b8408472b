import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import { createTranslator } from 'use-intl/core'
import { CATALOGS, type Messages } from '../../../../contracts/i18n/catalogs.ts'
import { perLocale } from '../../../../contracts/i18n/languages.ts'
import type { Localized } from '../../../../contracts/core/locales.ts'
import type { ProfileMistake } from '../../../../contracts/core/profile-check.ts'

/** A position in a file; line and column from 1. */
export interface Place {
  readonly file: string
  readonly line: number
  readonly column: number
}

export type Setting = Group | List | Scalar
export interface Group {
  readonly kind: 'group'
  readonly entries: ReadonlyMap<string, Entry>
  readonly at: Place
}
export interface Entry {
  readonly key: Place
  /** Position to report if a setting inside this entry is missing. */
  readonly around: Place
  readonly value: Setting
}
export interface List {
  readonly kind: 'list'
  readonly items: readonly Setting[]
  readonly at: Place
}
export interface Scalar {
  readonly kind: 'scalar'
  readonly value: string | number | boolean | null
  /** Source text of the value without its quotes: the text `01` has the value 1. */
  readonly source: string
  readonly at: Place
}

export type SettingPath = readonly (string | number)[]

export const noSettings = (file: string): Group => ({
  kind: 'group',
  entries: new Map(),
  at: { file, line: 1, column: 1 },
})

export function settingsIn(file: string, text: string): Group {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const reader = nodeReader(document, (offset) => {
    const { line, col } = lines.linePos(offset)
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) }
  })
  const settings = reader(document.contents, 0)
  return settings.kind === 'group' ? { ...settings, at: noSettings(file).at } : noSettings(file)
}

/**
 * Parses a list or group that a table cell writes as YAML; every position is that of the cell. Returns null for other
 * text, `open` for an incomplete list or group, and `alias` for one with aliases, which could expand without limit.
 */
export function settingInCell(text: string, at: Place): Setting | 'alias' | 'open' | null {
  if (!/^\s*[[{]/.test(text)) return null
  const document = parseDocument(text)
  if (document.errors.length > 0) return 'open'
  let isAliased = false
  visit(document, {
    Alias() {
      isAliased = true
      return visit.BREAK
    },
  })
  return isAliased ? 'alias' : nodeReader(document, () => at)(document.contents, 0)
}

function nodeReader(document: Document, placeAt: (offset: number) => Place): (node: unknown, from: number) => Setting {
  const read = (node: unknown, from: number): Setting => {
    const resolved = isAlias(node) ? node.resolve(document) : node
    const at = placeAt(startOf(node) ?? from)
    if (isMap(resolved)) {
      const entries = resolved.items.map(({ key, value }): [string, Entry] => {
        const offset = startOf(key) ?? from
        const place = placeAt(offset)
        return [keyText(key), { key: place, around: place, value: read(value, offset) }]
      })
      return { kind: 'group', entries: new Map(entries), at }
    }
    if (isSeq(resolved)) return { kind: 'list', items: resolved.items.map((item) => read(item, from)), at }
    return isScalar(resolved) ? scalarOf(resolved.value, at, resolved.source) : scalarOf(null, at)
  }
  return read
}

/** A setting with a single value. YAML values other than text, numbers, booleans and null become text. */
export function scalarOf(value: unknown, at: Place, source?: string): Scalar {
  const known =
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : JSON.stringify(value)
  return { kind: 'scalar', value: known, source: source ?? String(known), at }
}

const startOf = (node: unknown): number | undefined =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? Number(node.range[0])
    : undefined
function keyText(key: unknown): string {
  if (!isScalar(key)) return JSON.stringify(key)
  return typeof key.value === 'string' ? key.value : (key.source ?? '')
}

/** Returns the position of a setting. A missing setting has the position of the nearest enclosing one. */
export function placeOf(settings: Group, path: SettingPath, what: 'key' | 'value'): Place {
  let here: Setting = settings
  let place = settings.at
  for (const [index, key] of path.entries()) {
    const last = index === path.length - 1
    if (here.kind === 'group') {
      const entry: Entry | undefined = here.entries.get(String(key))
      if (entry === undefined) return place
      place = last ? (what === 'value' && entry.value.kind === 'scalar' ? entry.value.at : entry.key) : entry.around
      here = entry.value
    } else if (here.kind === 'list') {
      const item: Setting | undefined = here.items[Number(key)]
      if (item === undefined) return place
      place = item.at
      here = item
    } else return place
  }
  return place
}

export function settingAt(settings: Setting, path: SettingPath): Setting | undefined {
  let here: Setting | undefined = settings
  for (const key of path) {
    if (here?.kind === 'group') here = here.entries.get(String(key))?.value
    else here = here?.kind === 'list' ? here.items[Number(key)] : undefined
  }
  return here
}

export function textAt(settings: Setting, path: SettingPath): string | undefined {
  const found = settingAt(settings, path)
  return found?.kind === 'scalar' && typeof found.value === 'string' ? found.value : undefined
}

type Files = Messages['files']
type Key = {
  [Kind in 'chain' | 'catalog' | 'command' | 'profile']: `${Kind}.${keyof Files[Kind] & string}`
}['chain' | 'catalog' | 'command' | 'profile']

const translators = perLocale((locale) => createTranslator({ locale, messages: CATALOGS[locale], namespace: 'files' }))

/** Returns a message about a file of a chain, in every language. A number among `values` selects a plural form. */
export const localized = (key: Key, values: Readonly<Record<string, string | number>> = {}): Localized =>
  perLocale((locale) => {
    const translate: (key: Key, values: Readonly<Record<string, string | number>>) => string = translators[locale]
    return translate(key, values)
  })

export const mistakeAt = ({ file, line, column }: Place, path: string, messages: Localized): ProfileMistake => ({
  file,
  line,
  column,
  path,
  at: [],
  what: 'value',
  messages,
})
