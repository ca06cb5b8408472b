import type { ProfileCheckAnswer, ProfileMistake, TableCell } from '../../../../contracts/core/profile-check.ts'
import { mergeSettings } from './merge.ts'
import { listKey, typesAt } from './schema.ts'
import {
  type Group,
  type List,
  mistakeAt,
  noSettings,
  type Place,
  scalarOf,
  type Setting,
  settingInCell,
  localized,
} from './settings.ts'

export interface Row {
  readonly id: string
  readonly at: Place
  readonly settings: Group | null
  readonly mistakes: readonly ProfileMistake[]
}

export interface Table {
  readonly rows: readonly Row[]
  /** Mistakes in the table as a whole, which affect stores without a row in it. */
  readonly mistakes: readonly ProfileMistake[]
}

export const NO_TABLE: Table = { rows: [], mistakes: [] }

interface Column {
  readonly path: readonly string[]
  readonly header: Place
  readonly cells: readonly number[]
  readonly numbered: boolean
}

export function tableOf(file: string, { rows, mistakes }: ProfileCheckAnswer): Table {
  const [names = [], ...records] = rows
  const wrongNames = repeatedNames(file, names)
  if (wrongNames.length > 0) return { rows: [], mistakes: [...mistakes, ...wrongNames] }
  const columns = columnsOf(file, names)
  const lines = new Map<string, number>()
  const reported = new Set<ProfileMistake>()
  const read = records.map((cells): Row => {
    const unreadable = mistakes.filter(({ line }) => line === cells[0]?.line)
    for (const mistake of unreadable) reported.add(mistake)
    const row = rowOf(file, names, columns, cells, unreadable)
    const before = lines.get(row.id)
    lines.set(row.id, before ?? row.at.line)
    if (before === undefined) return row
    const same = mistakeAt(row.at, '', localized('chain.sameStore', { id: row.id, line: `${before}` }))
    return { ...row, settings: null, mistakes: [same] }
  })
  return { rows: read, mistakes: mistakes.filter((mistake) => !reported.has(mistake)) }
}

const placeIn = (file: string, { line, column }: TableCell): Place => ({ file, line, column })

function repeatedNames(file: string, names: readonly TableCell[]): ProfileMistake[] {
  const seen = new Set<string>()
  return names.flatMap((cell) => {
    const name = cell.text.trim()
    const repeated = name !== '' && seen.has(name)
    seen.add(name)
    return repeated ? [mistakeAt(placeIn(file, cell), '', localized('chain.columnTwice', { name }))] : []
  })
}

function columnsOf(file: string, names: readonly TableCell[]): Column[] {
  const columns = names.flatMap((cell, index): Column[] => {
    const path = cell.text.trim().split('.')
    if (index === 0 || cell.text.trim() === '') return []
    const numbered = /^\d+$/.test(path.at(-1) ?? '') && isPlainList(path.slice(0, -1))
    return [{ path: numbered ? path.slice(0, -1) : path, header: placeIn(file, cell), cells: [index], numbered }]
  })
  const lists = Map.groupBy(columns, ({ path, numbered }) => (numbered ? path.join('.') : null))
  return columns.flatMap((column) => {
    if (!column.numbered) return [column]
    const [first, ...others] = lists.get(column.path.join('.')) ?? []
    if (first !== column) return []
    const numberOf = (cell: number): number => Number(names[cell]?.text.trim().split('.').at(-1))
    const cells = [column, ...others].flatMap((one) => one.cells).toSorted((a, b) => numberOf(a) - numberOf(b))
    return [{ ...column, cells }]
  })
}

const isPlainList = (path: readonly string[]): boolean => {
  const schemaPath = schemaPathOf(path)
  return typesAt(schemaPath).has('array') && listKey(schemaPath) === null
}

function isListOrGroup(path: readonly string[]): boolean {
  const types = typesAt(schemaPathOf(path))
  return !types.has('string') && (types.has('array') || types.has('object'))
}

const schemaPathOf = (path: readonly string[]): string[] =>
  path.reduce<string[]>((done, key) => [...done, typesAt(done).has('array') ? '[]' : key], [])

function rowOf(
  file: string,
  names: readonly TableCell[],
  columns: readonly Column[],
  cells: readonly TableCell[],
  unreadable: readonly ProfileMistake[],
): Row {
  const [first = { text: '', line: 1, column: 1 }] = cells
  const at = placeIn(file, first)
  const row = { id: first.text.trim(), at, settings: null }
  if (unreadable.length > 0) return { ...row, mistakes: unreadable }
  if (cells.length !== names.length) {
    const count = { wanted: `${names.length}`, found: `${cells.length}` }
    return { ...row, mistakes: [mistakeAt(at, '', localized('catalog.valueCount', count))] }
  }
  const nameless = cells.filter(({ text }, index) => text.trim() !== '' && names[index]?.text.trim() === '')
  const open = columns
    .filter(({ path, numbered }) => !numbered && isListOrGroup(path))
    .flatMap((column) =>
      column.cells.flatMap((index) => {
        const cell = cells[index]
        return cell !== undefined && settingInCell(cell.text, at) === 'open' ? [cell] : []
      }),
    )
  if (open.length > 0)
    return { ...row, mistakes: open.map((cell) => mistakeAt(placeIn(file, cell), '', localized('chain.cellOpen'))) }
  const endless = cells.filter(({ text }) => settingInCell(text, at) === 'alias')
  if (endless.length > 0)
    return {
      ...row,
      mistakes: endless.map((cell) => mistakeAt(placeIn(file, cell), '', localized('chain.aliasInCell'))),
    }
  const mistakes = nameless.map((cell) => mistakeAt(placeIn(file, cell), '', localized('chain.noColumnName')))
  const settings = columns.reduce((done, column) => {
    const values = column.cells.flatMap((index) => cells[index] ?? []).filter(({ text }) => text.trim() !== '')
    const [value] = values
    if (value === undefined) return done
    const set = column.numbered
      ? listOf(file, values, placeIn(file, value), column)
      : valueOf(value.text.trim(), placeIn(file, value), column)
    return mergeSettings(done, groupAround(set, column), listKey)
  }, noSettings(file))
  return { ...row, settings: { ...settings, at }, mistakes }
}

const listOf = (file: string, values: readonly TableCell[], at: Place, { path, header }: Column): List => ({
  kind: 'list',
  items: values.map((cell) =>
    valueOf(cell.text.trim(), placeIn(file, cell), { path: [...path, '1'], header, cells: [], numbered: false }),
  ),
  at,
})

function valueOf(text: string, at: Place, { path }: Column): Setting {
  const types = typesAt(schemaPathOf(path))
  if (text === 'null') return scalarOf(null, at)
  if (types.has('string')) return scalarOf(text, at)
  if (types.has('array') || types.has('object')) {
    const written = settingInCell(text, at)
    if (written !== null && typeof written !== 'string') return written
    return types.has('array') ? { kind: 'list', items: [scalarOf(text, at)], at } : scalarOf(text, at)
  }
  if (types.has('boolean') && /^(true|false)$/i.test(text)) return scalarOf(text.toLowerCase() === 'true', at)
  const expectsNumber = types.has('number') || types.has('integer')
  return expectsNumber && /^-?\d+(\.\d+)?$/.test(text) ? scalarOf(Number(text), at, text) : scalarOf(text, at)
}

function groupAround(value: Setting, { path, header }: Column): Group {
  const around = value.at
  const whole = path
    .toReversed()
    .reduce<Setting>(
      (inner, key) => ({ kind: 'group', entries: new Map([[key, { key: header, around, value: inner }]]), at: around }),
      value,
    )
  return whole.kind === 'group' ? whole : { kind: 'group', entries: new Map(), at: around }
}
