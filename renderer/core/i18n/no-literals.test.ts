import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'

const TEXT_ATTRIBUTES = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'aria-valuetext',
  'alt',
  'title',
  'placeholder',
  'label',
  'text',
  'intro',
  'name',
  'help',
  'textValue',
  'description',
  'errorMessage',
  'note',
])
/** Attributes of these components that contain a code instead of text. */
const CODES = new Map([
  ['Key', new Set(['name'])],
  ['svg', new Set<string>()],
])
const LETTER = /\p{L}/u

type Node = { readonly type: string; readonly [key: string]: unknown }
const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
const nameOf = (node: unknown): string => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '')

export function literalsOf(file: string, source: string): string[] {
  const found: string[] = []
  const shownLiterals = (node: unknown): void => {
    if (!isNode(node)) return
    if (node.type === 'Literal' && typeof node['value'] === 'string' && LETTER.test(node['value']))
      found.push(node['value'])
    if (node.type === 'TemplateLiteral') {
      const text = (node['quasis'] as { value: { raw: string } }[]).map(({ value }) => value.raw).join('')
      if (LETTER.test(text)) found.push(text)
    }
    if (node.type === 'ConditionalExpression') [node['consequent'], node['alternate']].forEach(shownLiterals)
    if (node.type === 'LogicalExpression') [node['left'], node['right']].forEach(shownLiterals)
  }
  const visit = (node: unknown, element: string): void => {
    if (Array.isArray(node)) return node.forEach((part) => visit(part, element))
    if (!isNode(node)) return
    let within = element
    if (node.type === 'JSXOpeningElement') within = nameOf(node['name'])
    if (node.type === 'JSXText' && LETTER.test(String(node['value']))) found.push(String(node['value']).trim())
    if (node.type === 'JSXAttribute') {
      const attribute = isNode(node['name']) && node['name'].type === 'JSXIdentifier' ? nameOf(node['name']) : ''
      const value = node['value']
      if (TEXT_ATTRIBUTES.has(attribute) && !CODES.get(element)?.has(attribute))
        shownLiterals(isNode(value) && value.type === 'JSXExpressionContainer' ? value['expression'] : value)
    }
    if (node.type === 'JSXElement' || node.type === 'JSXFragment') {
      for (const child of node['children'] as Node[])
        if (child.type === 'JSXExpressionContainer') shownLiterals(child['expression'])
    }
    for (const [key, part] of Object.entries(node)) if (key !== 'type') visit(part, within)
  }
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  visit(program, '')
  return found
}

const renderer = join(import.meta.dirname, '../..')
const screens = readdirSync(renderer, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'))

describe('texts in screens', () => {
  test('the check for literal texts finds screens to check', () => expect(screens.length).toBeGreaterThan(20))

  test.each(screens)('the source %s shows no text that is not in the message catalogs', (path) => {
    expect(literalsOf(path, readFileSync(join(renderer, path), 'utf8'))).toEqual([])
  })

  test('the check for literal texts finds one as text, as attribute, in a branch and in a template', () => {
    expect(literalsOf('a.tsx', 'const a = <p>Hello</p>')).toEqual(['Hello'])
    expect(literalsOf('a.tsx', 'const a = <button aria-label="Close">×</button>')).toEqual(['Close'])
    expect(literalsOf('a.tsx', 'const a = <p>{open ? "Open" : t("x")}</p>')).toEqual(['Open'])
    expect(literalsOf('a.tsx', 'const a = <p title={`Lane ${n}`} />')).toEqual(['Lane '])
    expect(literalsOf('a.tsx', 'const a = <p className="prose" data-x="y">{t("a.b")} × 2</p>')).toEqual([])
  })
})
