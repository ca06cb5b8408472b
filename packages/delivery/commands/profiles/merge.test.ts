import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { valueOf } from './differences.ts'
import { mergeSettings, type ListKey } from './merge.ts'
import { settingsIn, type Group, type Place, type Setting } from './settings.ts'

const listKey: ListKey = (path) => ({ things: 'id', sorts: 'code' })[path.at(-1) ?? ''] ?? null

type Data = string | number | boolean | null | Data[] | { [name: string]: Data }
type DataGroup = { [name: string]: Data }

const scalar = fc.oneof(fc.constantFrom('on', 'é', 'two words', '01', 'null', '5'), fc.integer(), fc.boolean())
const name = fc.constantFrom('a', 'b', 'c', 'd')
function dataWith(leaf: fc.Arbitrary<Data>, depth = 3): fc.Arbitrary<DataGroup> {
  const list = fc.array(scalar, { maxLength: 3 })
  if (depth === 1) return fc.dictionary(name, fc.oneof(leaf, list), { minKeys: 1, maxKeys: 3, noNullPrototype: true })
  const inner = dataWith(leaf, depth - 1)
  return fc
    .tuple(
      fc.dictionary(name, fc.oneof(leaf, list, inner), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
      fc.option(entriesBy('id', inner), { nil: undefined }),
      fc.option(entriesBy('code', inner), { nil: undefined }),
    )
    .map(([group, things, sorts]) => ({
      ...group,
      ...(things === undefined ? {} : { things }),
      ...(sorts === undefined ? {} : { sorts }),
    }))
}
const entriesBy = (key: 'id' | 'code', group: fc.Arbitrary<DataGroup>): fc.Arbitrary<Data> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom('x', 'y', '01'), group), {
      selector: ([id]) => id,
      minLength: 1,
      maxLength: 3,
    })
    .map((entries) => entries.map(([id, inside]): Data => ({ [key]: id, ...inside })))

const withoutRemovals = dataWith(scalar)
const removing = dataWith(fc.oneof(scalar, fc.constant(null)))

const textOf = (data: DataGroup): string => stringify(data, { lineWidth: 0 })
const read = (file: string, data: DataGroup): Group => settingsIn(file, textOf(data))
const merged = (...layers: readonly DataGroup[]): Group =>
  layers.reduce<Group>(
    (done, data, index) => mergeSettings(done, read(`${index}.yaml`, data), listKey),
    settingsIn('none', ''),
  )

interface Leaf {
  readonly value: unknown
  readonly at: Place
}
function leavesOf(setting: Setting, path: readonly string[] = []): Map<string, Leaf> {
  const key = listKey(path)
  const under = (inner: Setting, ...more: string[]): [string, Leaf][] => [...leavesOf(inner, [...path, ...more])]
  if (setting.kind === 'group')
    return new Map([...setting.entries].flatMap(([inner, { value }]) => under(value, inner)))
  if (setting.kind === 'list' && key !== null)
    return new Map(setting.items.flatMap((item) => under(item, `#${idIn(item, key)}`)))
  return new Map([[path.join('.'), { value: valueOf(setting), at: setting.at }]])
}
const idIn = (item: Setting, key: string): string => {
  const id = item.kind === 'group' ? item.entries.get(key)?.value : undefined
  return id?.kind === 'scalar' ? id.source : 'none'
}

const touches = (over: ReadonlyMap<string, Leaf>, path: string): boolean =>
  [...over.keys()].some((leaf) => isPrefix(leaf, path) || isPrefix(path, leaf))
const isPrefix = (one: string, other: string): boolean => other === one || other.startsWith(`${one}.`)
const isThere = (under: ReadonlyMap<string, Leaf>, path: string): boolean =>
  [...under.keys()].some((leaf) => isPrefix(path, leaf))

describe('merging settings of profiles', () => {
  it('sets later values, leaves other values unchanged and adds no other value', () => {
    fc.assert(
      fc.property(withoutRemovals, removing, (under, over) => {
        const [below, above] = [leavesOf(read('0.yaml', under)), leavesOf(read('1.yaml', over))]
        const result = leavesOf(merged(under, over))
        const unchanged = [...below].filter(([path]) => !touches(above, path))
        const added = [...above].filter(([path, { value }]) => value !== null || !isThere(below, path))
        const expected = [...unchanged, ...added].map(([path, { value }]): [string, unknown] => [path, value])
        const found = [...result].map(([path, { value }]): [string, unknown] => [path, value])
        expect(new Map(found)).toEqual(new Map(expected))
      }),
      { numRuns: 60 },
    )
  })

  it('gives each value the file, line and column where it was set', () => {
    fc.assert(
      fc.property(withoutRemovals, withoutRemovals, withoutRemovals, (one, two, three) => {
        const layers = [one, two, three]
        const texts = layers.map((layer) => textOf(layer).split('\n'))
        const written = ({ file, line, column }: Place): string =>
          texts[Number.parseInt(file, 10)]?.[line - 1]?.slice(column - 1) ?? ''
        const values = [...leavesOf(merged(...layers)).values()].filter(({ value }) => typeof value !== 'object')
        const elsewhere = values.filter(({ value, at }) => ![String(value), `"${String(value)}"`].includes(written(at)))
        expect(elsewhere).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  it('has no further effect when the same settings are merged again', () => {
    fc.assert(
      fc.property(withoutRemovals, withoutRemovals, (under, over) => {
        expect(valueOf(merged(under, over, over))).toEqual(valueOf(merged(under, over)))
      }),
      { numRuns: 30 },
    )
  })

  it('leaves the settings unchanged if one of two files is empty', () => {
    fc.assert(
      fc.property(withoutRemovals, (data) => {
        expect(valueOf(merged(data, {}))).toEqual(valueOf(merged(data)))
        expect(valueOf(merged({}, data))).toEqual(valueOf(merged(data)))
      }),
      { numRuns: 30 },
    )
  })

  it('gives the same result for a list of entries and for a group of these entries by id', () => {
    fc.assert(
      fc.property(withoutRemovals, withoutRemovals, (under, over) => {
        expect(valueOf(merged(under, byName(over)))).toEqual(valueOf(merged(under, over)))
      }),
      { numRuns: 30 },
    )
  })
})

function byName(data: DataGroup): DataGroup {
  return Object.fromEntries(
    Object.entries(data).map(([setting, value]): [string, Data] => {
      const key = listKey([setting])
      if (key === null || !Array.isArray(value)) return [setting, isGroup(value) ? byName(value) : value]
      const entries = value
        .filter(isGroup)
        .map(({ [key]: id, ...entry }) => [typeof id === 'string' ? id : '', byName(entry)] as const)
      return [setting, Object.fromEntries(entries)]
    }),
  )
}
const isGroup = (value: Data): value is DataGroup =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

describe('merging settings of profiles, by example', () => {
  const mergedData = (under: DataGroup, over: DataGroup): unknown => valueOf(merged(under, over))
  it.each<[string, DataGroup, DataGroup, DataGroup]>([
    ['null removes a setting', { a: { b: 1, c: 2 } }, { a: { b: null } }, { a: { c: 2 } }],
    [
      'null for a missing setting stays, and is a mistake',
      { a: { b: 1 } },
      { a: { d: null } },
      { a: { b: 1, d: null } },
    ],
    ['a list of values is replaced', { a: [1, 2, 3] }, { a: [4] }, { a: [4] }],
    [
      'an entry is identified by its id, and a new entry comes last',
      {
        things: [
          { id: 'x', a: 1 },
          { id: 'y', a: 2 },
        ],
      },
      {
        things: [
          { id: 'z', a: 4 },
          { id: 'x', b: 3 },
        ],
      },
      {
        things: [
          { id: 'x', a: 1, b: 3 },
          { id: 'y', a: 2 },
          { id: 'z', a: 4 },
        ],
      },
    ],
    [
      'null removes an entry',
      { things: [{ id: 'x' }, { id: 'y' }] },
      { things: { x: null } },
      { things: [{ id: 'y' }] },
    ],
    ['an empty list removes all entries', { things: [{ id: 'x' }] }, { things: [] }, { things: [] }],
    [
      'a repeated entry stays repeated',
      { things: [{ id: 'x', a: 1 }] },
      {
        things: [
          { id: 'x', a: 2 },
          { id: 'x', a: 3 },
        ],
      },
      {
        things: [
          { id: 'x', a: 2 },
          { id: 'x', a: 3 },
        ],
      },
    ],
    [
      'an entry without its id remains, and is a mistake',
      { things: [{ id: 'x' }] },
      { things: [{ ID: 'x', a: 1 }] },
      { things: [{ id: 'x' }, { ID: 'x', a: 1 }] },
    ],
    ['a group replaces a value', { a: 1 }, { a: { b: 2 } }, { a: { b: 2 } }],
  ])('later settings are merged over earlier ones by the rule: %s', (_what, under, over, result) => {
    expect(mergedData(under, over)).toEqual(result)
  })
})
