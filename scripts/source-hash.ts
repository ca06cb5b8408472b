import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'

/** One hash over the names and contents of everything under some places; test files leave it alone. */
export function sourceHash(root: string, places: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of places.flatMap((place) => filesUnder(path.join(root, place)))) {
    hash.update(path.relative(root, file).split(path.sep).join('/')).update('\0').update(readFileSync(file))
  }
  return hash.digest('hex')
}

/** All files under a folder, in an order that does not depend on the system; a file stands for itself. */
export function filesUnder(place: string): string[] {
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}
