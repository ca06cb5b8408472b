import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { buildScreens } from './testing/build.ts'

const MOST_PACKED_BYTES = 250_000

test('what a window needs to show who may sign in stays small: the selling comes behind it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-first-load-'))
  onTestFinished(() => { rmSync(folder, { recursive: true }) })
  await buildScreens(folder)
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const files = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)
  const packed = (file: string): number => gzipSync(readFileSync(join(folder, file)), { level: 9 }).byteLength
  const named = files.filter((file) => page.includes(`/${file}`))
  const letters = files.filter((file) => file.endsWith('.woff2'))
  // Of the two languages the larger.
  const words = Math.max(...files.filter((file) => /\/screens-.*\.js$/.test(file)).map(packed))
  expect(named.length).toBeGreaterThan(2)
  expect(letters).toHaveLength(1)
  const bytes = ['index.html', ...named, ...letters].reduce((sum, file) => sum + packed(file), words)
  expect(bytes).toBeLessThan(MOST_PACKED_BYTES)
  // The schemas are the backend's: their library alone would be a sixth of all this.
  for (const file of files.filter((one) => one.endsWith('.js'))) expect(readFileSync(join(folder, file), 'utf8'), file).not.toContain('ZodError')
}, 60_000)
