import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { LOCALES } from '../contracts/i18n/languages.ts'
import { BUILT } from './testing/build.ts'

const MOST_PACKED_BYTES = 250_000

test('what a window needs to show who may sign in stays small: the selling comes behind it', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8')
  const files = readdirSync(join(BUILT, 'assets')).map((name) => `assets/${name}`)
  const packed = (file: string): number => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).byteLength
  const named = files.filter((file) => page.includes(`/${file}`))
  const letters = files.filter((file) => file.endsWith('.woff2'))
  // Of the languages the larger; the words of the manager's pages come with those.
  const spoken = files.filter((file) => /\/screens-at-once-.*\.js$/.test(file))
  expect(spoken).toHaveLength(LOCALES.length)
  const words = Math.max(...spoken.map(packed))
  expect(named.length).toBeGreaterThan(2)
  expect(letters).toHaveLength(1)
  const bytes = ['index.html', ...named, ...letters].reduce((sum, file) => sum + packed(file), words)
  expect(bytes).toBeLessThan(MOST_PACKED_BYTES)
  // The schemas are the backend's: their library alone would be a sixth of all this.
  for (const file of files.filter((one) => one.endsWith('.js')))
    expect(readFileSync(join(BUILT, file), 'utf8'), file).not.toContain('ZodError')
})
