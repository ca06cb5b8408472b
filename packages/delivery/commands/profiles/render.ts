import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../whole-file.ts'
import { MistypedError } from '../../../../scripts/command-line.ts'
import { type CheckedStore, MADE } from './check-stores.ts'
import { localized } from './settings.ts'

export interface ProfileFolder {
  put(store: CheckedStore): void
  tidy(): number
}

/**
 * Returns an error if `out` is a file, or a folder with a profile (`.yaml`) that was not rendered by this command; null
 * otherwise.
 */
export function refusedFolder(out: string): string | null {
  if (!existsSync(out)) return null
  if (!statSync(out).isDirectory()) return `${out} is a file. Name a folder for the profiles.`
  const other = profilesIn(out).find((name) => !wasMade(path.join(out, name)))
  if (other === undefined) return null
  return `${path.join(out, other)} was not rendered by this command. Name a separate folder for the profiles.`
}

export function openProfileFolder(out: string): ProfileFolder {
  makeFolder(out)
  // Without a rendered profile, all files in the folder are the user’s: none is replaced, and the CLI command fails.
  const isOurs = profilesIn(out).length > 0
  const written = new Set<string>()
  const copied = new Set<string>()
  const copy = (source: string, target: string): void => {
    if (copied.has(target)) return
    copied.add(target)
    const place = path.join(out, target)
    makeFolder(path.dirname(place))
    if (!isOurs && existsSync(place) && !isSame(source, place))
      throw new MistypedError(localized('command.notOurs', { place }))
    replace(place, (staged) => {
      copyFileSync(source, staged)
    })
  }
  return {
    put({ id, profile }) {
      if (profile === null) return
      for (const { source, target } of profile.files) copy(source, target)
      replace(path.join(out, `${id}.yaml`), (staged) => {
        writeFileSync(staged, profile.text)
      })
      written.add(`${id}.yaml`)
    },
    tidy() {
      const old = profilesIn(out).filter((name) => !written.has(name))
      for (const name of old) rmSync(path.join(out, name))
      return old.length
    },
  }
}

const profilesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.yaml'))
const wasMade = (file: string): boolean => readFileSync(file, 'utf8').startsWith(MADE)

const isSame = (one: string, other: string): boolean =>
  statSync(other).isFile() && readFileSync(one).equals(readFileSync(other))

/** Replaces a file atomically, in case the CLI command is killed; replaces a link instead of writing through it. */
function replace(place: string, write: (staged: string) => void): void {
  const staged = `${place}.${process.pid}.new`
  try {
    write(staged)
    renameSync(staged, place)
  } catch (error) {
    rmSync(staged, { force: true })
    throw error
  }
}
