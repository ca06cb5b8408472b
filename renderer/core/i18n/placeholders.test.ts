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

/** Keys formatted without values: t('a.b'). Keys built from templates are checked by `npm run lab access`. */
const bareKeys = (source: string): string[] =>
  [...source.matchAll(/\bt\(\s*'([\w.-]+)',?\s*\)/g)].flatMap(([, key]) => key ?? [])

test('passes a value for every placeholder of a message', () => {
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
