import { statSync } from 'node:fs'
import path from 'node:path'
import type { ProfileMistake } from '../../contracts/profile-check.ts'
import { scalarOf, settingAt, type Group, type Setting, type SettingPath } from './settings.ts'
import { mistakeAt, words } from './words.ts'

/** A file that a profile names. */
export interface NamedFile {
  readonly setting: SettingPath
  /** Where it is: beside the file that names it, or from there on. */
  readonly source: string
  /** The same from the chain's folder on, which is its place among the profiles that are made. */
  readonly target: string
}

/** The files that a store's settings name, and those that cannot go with its profile. */
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
      mistakes.push(mistakeAt(name.at, setting.map(String).join('.'), words(what, { file: name.value })))
    }
  }
  return { files, mistakes }
}

/** Names them as they are found from a profile that lies in the place of the chain's folder. */
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
