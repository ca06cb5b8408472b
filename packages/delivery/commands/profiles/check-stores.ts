import type { ProfileMistake } from '../../../../contracts/core/profile-check.ts'
import type { ProfileChecker } from '../check-profile.ts'
import type { Chain } from './chain.ts'
import {
  type Entry,
  type Group,
  mistakeAt,
  placeOf,
  scalarOf,
  type Setting,
  settingAt,
  type SettingPath,
  localized,
} from './settings.ts'
import { type Store, storeOf } from './store.ts'
import { statSync } from 'node:fs'
import path from 'node:path'
import { Document, Pair, Scalar as YamlScalar, type ScalarTag, type Tags, YAMLMap, YAMLSeq } from 'yaml'
import { namesAt } from './schema.ts'

export interface CheckedStore {
  readonly id: string
  readonly mistakes: readonly ProfileMistake[]
  readonly profile: { readonly text: string; readonly files: readonly NamedFile[] } | null
}

export async function* checkStores(chain: Chain, checker: ProfileChecker): AsyncGenerator<CheckedStore> {
  const stores = chain.storeIds.map((id) => storeOf(chain, id))
  const shared = sharedNames(stores)
  for (const store of stores) yield await checkStore(chain, withMistakes(store, shared.get(store.id) ?? []), checker)
}

const withMistakes = (store: Store, mistakes: readonly ProfileMistake[]): Store => ({
  ...store,
  mistakes: [...store.mistakes, ...mistakes],
})

const MAX_NAMED = 5

/**
 * Finds location codes and device ids that several stores share, because the central services would mistake one store
 * for another. Returns the mistakes by store.
 */
function sharedNames(stores: readonly Store[]): Map<string, ProfileMistake[]> {
  const names = stores.flatMap(({ id, settings }) => (settings === null ? [] : namesIn(id, settings)))
  const found = new Map<string, ProfileMistake[]>()
  for (const same of Map.groupBy(names, ({ what, name }) => `${what} ${name}`).values()) {
    const ids = [...new Set(same.map(({ store }) => store))]
    if (ids.length === 1) continue
    const list = [...ids.slice(0, MAX_NAMED), ...(ids.length > MAX_NAMED ? ['…'] : [])].join(', ')
    for (const { what, name, store, setting, at } of same) {
      const mistake = mistakeAt(at, setting, localized(`chain.${what}`, { id: name, list }))
      found.set(store, [...(found.get(store) ?? []), mistake])
    }
  }
  return found
}

function namesIn(store: string, settings: Group) {
  const lanes = settingAt(settings, ['lanes'])
  const paths = [
    { what: 'sameLocation', setting: 'program.locationCode', path: ['program', 'locationCode'] },
    ...(lanes?.kind === 'list' ? lanes.items : []).map(
      (_, index) =>
        ({ what: 'sameDevice', setting: `lanes[${index}].deviceId`, path: ['lanes', index, 'deviceId'] }) as const,
    ),
  ] as const
  return paths.flatMap(({ what, setting, path }) => {
    const found = settingAt(settings, path)
    return found?.kind === 'scalar' && typeof found.value === 'string'
      ? [{ what, name: found.value, store, setting, at: placeOf(settings, path, 'value') }]
      : []
  })
}

async function checkStore(chain: Chain, store: Store, checker: ProfileChecker): Promise<CheckedStore> {
  const { id, settings, sources } = store
  if (settings === null) return { id, mistakes: store.mistakes, profile: null }
  const named = namedFiles(chain.folder, settings)
  const text = profileText(withTargets(settings, named.files), sources)
  const catalog = named.files.find(({ setting }) => setting[0] === 'catalog')?.source ?? null
  const folder = named.mistakes.length === 0 ? chain.folder : null
  const answer = await checker.ask({ kind: 'profile', name: store.at.file, text, catalog, folder })
  const found = answer.mistakes.map((mistake) => (mistake.file === store.at.file ? written(store, mistake) : mistake))
  const isNamed = ({ path }: ProfileMistake): boolean => named.mistakes.some((mistake) => mistake.path === path)
  const mistakes = [...store.mistakes, ...named.mistakes, ...found.filter((mistake) => !isNamed(mistake))]
  return { id, mistakes, profile: mistakes.length === 0 ? { text, files: named.files } : null }
}

function written({ settings, at }: Store, mistake: ProfileMistake): ProfileMistake {
  if (mistake.line === null || settings === null) return mistake
  return { ...mistake, ...(mistake.at.length === 0 ? at : placeOf(settings, mistake.at, mistake.what)) }
}

export interface NamedFile {
  readonly setting: SettingPath
  /** Absolute path of the named file; the setting is relative to the file that contains it. */
  readonly source: string
  /** Path of the named file, relative to the chain's folder, and so in the folder of rendered profiles. */
  readonly target: string
}

export function namedFiles(
  folder: string,
  settings: Group,
): { readonly files: readonly NamedFile[]; readonly mistakes: readonly ProfileMistake[] } {
  const files: NamedFile[] = []
  const mistakes: ProfileMistake[] = []
  for (const setting of settingsOfFiles(settings)) {
    const name = settingAt(settings, setting)
    if (name?.kind !== 'scalar' || typeof name.value !== 'string' || name.value === '') continue
    const source = path.resolve(path.dirname(name.at.file), name.value)
    const target = path.relative(folder, source)
    const outside = target.startsWith('..') || path.isAbsolute(target)
    if (!outside && isFile(source)) files.push({ setting, source, target: target.replaceAll(path.sep, '/') })
    else {
      const what = outside ? 'chain.fileOutside' : 'chain.fileMissing'
      mistakes.push(mistakeAt(name.at, setting.map(String).join('.'), localized(what, { file: name.value })))
    }
  }
  return { files, mistakes }
}

export const withTargets = (settings: Group, files: readonly NamedFile[]): Group =>
  files.reduce((done, { setting, target }) => {
    const changed = changedAt(done, setting, target)
    return changed.kind === 'group' ? changed : done
  }, settings)

function settingsOfFiles(settings: Group): SettingPath[] {
  const lanes = settings.entries.get('lanes')?.value
  const terminals = (lanes?.kind === 'list' ? lanes.items : []).map((_, index): SettingPath => [
    'lanes',
    index,
    'devices',
    'cardTerminal',
    'connection',
    'certificateFile',
  ])
  return [['catalog', 'file'], ['receipt', 'logo', 'file'], ...terminals]
}

function changedAt(setting: Setting, [key, ...rest]: SettingPath, value: string): Setting {
  if (key === undefined) return scalarOf(value, setting.at)
  if (setting.kind === 'list')
    return { ...setting, items: setting.items.map((item, at) => (at === key ? changedAt(item, rest, value) : item)) }
  const entry = setting.kind === 'group' ? setting.entries.get(String(key)) : undefined
  if (setting.kind !== 'group' || entry === undefined) return setting
  const changed = { ...entry, value: changedAt(entry.value, rest, value) }
  return { ...setting, entries: new Map(setting.entries).set(String(key), changed) }
}

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true

/** First line of every rendered profile. Files with this line are recognized as rendered. */
export const MADE = '# Made by npm run milepost profiles.'

/**
 * Returns the profile of one store as YAML, with its settings in the order of the schema. `sources`: the files that the
 * profile was rendered from, for the reader.
 */
export function profileText(settings: Group, sources: readonly string[]): string {
  const document = new Document(null, { customTags: asWritten })
  document.contents = nodeOf(settings, [])
  const body = document.toString({ lineWidth: 0 })
  return `${MADE} Change ${sources.join(', ')} and render again.\n${body}`
}

function nodeOf(setting: Setting, path: readonly string[]): YAMLMap | YAMLSeq | YamlScalar {
  switch (setting.kind) {
    case 'group': {
      const map = new YAMLMap()
      for (const [name, { value }] of inOrder(setting, namesAt(path)))
        map.items.push(new Pair(new YamlScalar(name), nodeOf(value, [...path, name])))
      return map
    }
    case 'list': {
      const list = new YAMLSeq()
      list.items.push(...setting.items.map((item) => nodeOf(item, [...path, '[]'])))
      return list
    }
    case 'scalar': {
      const scalar = new YamlScalar(setting.value)
      scalar.source = setting.source
      return scalar
    }
  }
}

const inOrder = ({ entries }: Group, names: readonly string[]): [string, Entry][] => {
  const place = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length)
  return [...entries].toSorted(([one], [other]) => place(one) - place(other))
}

/** Writes each number as its source has it: the checker quotes it in messages, and 01 differs from 1. */
const asWritten = (tags: Tags): Tags => tags.map((tag) => (isNumberTag(tag) ? { ...tag, stringify: sourceOf } : tag))
const isNumberTag = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag === 'object' && (tag.tag === 'tag:yaml.org,2002:int' || tag.tag === 'tag:yaml.org,2002:float')
const sourceOf = ({ source, value }: YamlScalar): string => source ?? String(value)
