import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

export function sourceHash(root: string, places: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of places.flatMap((place) => filesUnder(path.join(root, place)))) {
    hash.update(path.relative(root, file).split(path.sep).join('/')).update('\0').update(readFileSync(file))
  }
  return hash.digest('hex')
}

/** Returns the files of a folder except tests, in an order independent of the system; for a file, the file itself. */
export function filesUnder(place: string): string[] {
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}
