import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { LOCALES } from '../contracts/i18n/languages.ts'
import { BUILT } from './testing/build.ts'

const MAX_PACKED_BYTES = 250_000

test('the sign-in screen loads less than 250 kB compressed, and no screen contains the schema library', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8')
  const files = readdirSync(join(BUILT, 'assets')).map((name) => `assets/${name}`)
  const packed = (file: string): number => gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).byteLength
  const named = files.filter((file) => page.includes(`/${file}`))
  const letters = files.filter((file) => file.endsWith('.woff2'))
  // Of the languages, only the larger counts, because a window loads one of them first; texts of the manager's pages
  // load later.
  const catalogs = files.filter((file) => /\/initial-screens-.*\.js$/.test(file))
  expect(catalogs).toHaveLength(LOCALES.length)
  const texts = Math.max(...catalogs.map(packed))
  expect(named.length).toBeGreaterThan(2)
  expect(letters).toHaveLength(1)
  const bytes = ['index.html', ...named, ...letters].reduce((sum, file) => sum + packed(file), texts)
  expect(bytes).toBeLessThan(MAX_PACKED_BYTES)
  // Only the backend validates schemas: their library would be a sixth of the first load.
  for (const file of files.filter((one) => one.endsWith('.js')))
    expect(readFileSync(join(BUILT, file), 'utf8'), file).not.toContain('ZodError')
})
