import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

interface LockedPackage {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const read = (file: string): Readonly<Record<string, LockedPackage>> =>
  (
    JSON.parse(readFileSync(path.join(import.meta.dirname, '..', file), 'utf8')) as {
      packages: Record<string, LockedPackage>
    }
  ).packages

/** Where Node would look for a dependency of this package, the nearest folder first. */
function candidates(place: string, name: string): string[] {
  const found: string[] = []
  for (let at = place; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1)))
    found.push(`${at}/node_modules/${name}`)
  return [...found, `node_modules/${name}`]
}

it('the lockfile has what every platform needs: npm ci refuses one without the binaries of another system', () => {
  const packages = read('package-lock.json')
  const missing = Object.entries(packages).flatMap(([place, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !candidates(place, name).some((at) => packages[at]?.version !== undefined))
      .map((name) => `${name} of ${place}`),
  )
  expect(missing).toEqual([])
})
