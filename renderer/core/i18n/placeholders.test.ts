import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'

type Tree = { readonly [key: string]: string | Tree }
const flatten = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value] as [string, string]] : flatten(value, `${path}${key}.`),
  )

const RENDERER = join(import.meta.dirname, '../..')
const sources = globSync('**/*.{ts,tsx}', { cwd: RENDERER }).filter((file) => !/\.test\.ts|^testing\//.test(file))

/**
 * Message keys that are formatted without values, such as t('a.b'). `npm run lab access` checks keys built from
 * templates.
 */
const bareKeys = (source: string): string[] =>
  [...source.matchAll(/\bt\(\s*'([\w.-]+)',?\s*\)/g)].flatMap(([, key]) => key ?? [])

test('every message with a placeholder is formatted with a value', () => {
  const withPlaceholder = new Set(
    LOCALES.flatMap((locale) =>
      flatten(CATALOGS[locale].screens).flatMap(([key, text]) => (/\{\w/.test(text) ? [key] : [])),
    ),
  )
  expect(withPlaceholder.size).toBeGreaterThan(200)
  const bare = sources.map((file) => [file, bareKeys(readFileSync(join(RENDERER, file), 'utf8'))] as const)
  expect(bare.reduce((sum, [, keys]) => sum + keys.length, 0)).toBeGreaterThan(1_000)
  const raw = bare.flatMap(([file, keys]) =>
    keys.filter((key) => withPlaceholder.has(key)).map((key) => `${file}: ${key}`),
  )
  expect(raw).toEqual([])
})
