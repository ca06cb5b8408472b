import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { filesUnder } from './source-hash.ts'

interface LockedPackage {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = path.join(import.meta.dirname, '..')
const locked = (
  JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>
  }
).packages

function candidates(place: string, name: string): string[] {
  const found: string[] = []
  for (let at = place; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1)))
    found.push(`${at}/node_modules/${name}`)
  return [...found, `node_modules/${name}`]
}

it('the lockfile has the native packages of every platform, which npm ci requires', () => {
  const missing = Object.entries(locked).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !candidates(place, name).some((at) => locked[at]?.version !== undefined))
      .map((name) => `${name} of ${place}`),
  )
  expect(missing).toEqual([])
})

const workspaces = readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)
const IMPORTED = /^(?:import|export)\s(?:[^'"]*?\sfrom\s+)?'((?:@[\w-]+\/)?[\w-]+)[^:']*'/gm

it.each(workspaces)('the package.json of %s lists every package that its sources import', (workspace) => {
  const { dependencies, devDependencies } = locked[workspace] ?? {}
  const imported = filesUnder(path.join(root, workspace))
    .filter((file) => /\.c?ts$/.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(IMPORTED)].map(([, name]) => name))
  expect(imported.length).toBeGreaterThan(0)
  expect(Object.keys({ ...dependencies, ...devDependencies })).toEqual(expect.arrayContaining([...new Set(imported)]))
})

it('every workspace package uses the packages that are installed in the root folder', () => {
  expect(Object.keys(locked).filter((place) => /^packages\/[^/]+\/node_modules\//.test(place))).toEqual([])
})
