import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const RENDERER = fileURLToPath(new URL('../..', import.meta.url))
const sources = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))

/** The classes that a stylesheet has. */
function classesOf(sheet: string): ReadonlySet<string> {
  const rules = readFileSync(sheet, 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
  return new Set([...rules.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name]) => name ?? ''))
}

// An element whose class is in no stylesheet is drawn without any, and neither the compiler nor a screen says so.
test('every class that a screen names is in its stylesheet', () => {
  const missing = sources.flatMap((file) => {
    const source = readFileSync(join(RENDERER, file), 'utf8')
    return [...source.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].flatMap(([, styles, sheet]) => {
      const there = classesOf(join(RENDERER, dirname(file), sheet ?? ''))
      return [...source.matchAll(new RegExp(`\\b${styles}\\['([^']+)'\\]`, 'g'))]
        .map(([, name]) => name ?? '')
        .filter((name) => !there.has(name))
        .map((name) => `${file}: ${name}`)
    })
  })
  expect(missing).toEqual([])
})

test('every class of all screens is in a stylesheet of all screens', () => {
  const shared = ['base.css', 'primitives.css', 'primitives-later.css'].flatMap((name) => [
    ...classesOf(join(RENDERER, 'core/ui', name)),
  ])
  const words = sources.flatMap((file) =>
    [...readFileSync(join(RENDERER, file), 'utf8').matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\})/g)].flatMap(
      ([, plain, built]) => (plain ?? built ?? '').replaceAll(/\$\{[^}]*\}/g, ' ').split(' '),
    ),
  )
  expect(words).toContain('stack-3')
  expect([...new Set(words)].filter((word) => word !== '' && !shared.includes(word))).toEqual([])
})
