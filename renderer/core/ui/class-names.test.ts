import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const RENDERER = fileURLToPath(new URL('../..', import.meta.url))
const sources = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))

function classesOf(sheet: string): ReadonlySet<string> {
  const rules = readFileSync(sheet, 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
  return new Set([...rules.matchAll(/\.([a-zA-Z][\w-]*)/g)].map(([, name]) => name ?? ''))
}

// Neither the compiler nor a screen reports a missing class.
test('every class that a screen uses is defined in its stylesheet', () => {
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

test('every global class that a screen uses is defined in a global stylesheet', () => {
  const shared = ['base.css', 'primitives.css', 'primitives-later.css'].flatMap((name) => [
    ...classesOf(join(RENDERER, 'core/ui', name)),
  ])
  const texts = sources.flatMap((file) =>
    [...readFileSync(join(RENDERER, file), 'utf8').matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\})/g)].flatMap(
      ([, plain, built]) => (plain ?? built ?? '').replaceAll(/\$\{[^}]*\}/g, ' ').split(' '),
    ),
  )
  expect(texts).toContain('stack-3')
  expect([...new Set(texts)].filter((className) => className !== '' && !shared.includes(className))).toEqual([])
})
