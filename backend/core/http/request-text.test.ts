import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { SettingList } from '../../../contracts/staff/settings.ts'
import { FREE_TEXT } from '../../../contracts/core/text.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

type Schema = Readonly<Record<string, unknown>>
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** Name of a field whose value is only compared with a stored one and never stored. */
const COMPARED = 'seen'

/**
 * Fields that `freeJson` guards: the API description refers to its recursive schema without the format. The next test
 * covers them.
 */
const GUARDED_JSON = ['put /api/settings/{name} body.to.value']

function unguarded(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((part) => unguarded(part, path))
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties, ...parts } = schema as Schema
  if (parts.format === FREE_TEXT) return []
  const types: readonly unknown[] = [type].flat()
  return [
    ...((types.includes('string') || '$ref' in parts) && !hasForm(schema as Schema) ? [path] : []),
    ...Object.entries((properties ?? {}) as Schema).flatMap(([name, field]) =>
      name === COMPARED ? [] : unguarded(field, `${path}.${name}`),
    ),
    ...['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'].flatMap((key) =>
      unguarded(parts[key], path),
    ),
  ]
}

function hasForm({ format, pattern, allOf, ...rest }: Schema): boolean {
  if ('enum' in rest || 'const' in rest) return true
  if (typeof format === 'string') return true
  const patterns = [pattern, ...((allOf ?? []) as Schema[]).map((part) => part.pattern)]
  // A pattern that accepts a space describes text, not an identifier.
  return patterns.some((source) => typeof source === 'string' && !new RegExp(source, 'u').test('two words'))
}

test('each text field in a request of the local API is an identifier or rejects card numbers', async () => {
  const lane = await openTerminalHarness(central)
  const { paths } = (await lane.call('GET', '/api/openapi.json')).body as unknown as {
    paths: Record<string, Record<string, Operation>>
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )
  const found = operations.flatMap(({ name, operation }) => [
    ...(operation.parameters ?? [])
      .filter((given) => given.in !== 'header')
      .flatMap((given) => unguarded(given.schema, `${name} ${given.in} ${given.name}`)),
    ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => unguarded(schema, `${name} body`)),
  ])
  expect(operations.length).toBeGreaterThan(100)
  expect(JSON.stringify(paths)).toContain(FREE_TEXT)
  expect(found).toEqual(GUARDED_JSON)
})

const CARD = '4111.1111.1111.1111'
const COLLECTOR = '8000 000 0011'

test('a card number in a free-text field of seven requests is refused, with a message in both languages', async () => {
  const lane = await openTerminalHarness(central, { staffId: 'sam' })
  const { current } = lane
  const sale = await lane.ring('1001')
  const { settings } = SettingList.parse((await lane.call('GET', '/api/settings')).body)
  const setting = settings.find(({ name }) => name === 'receipt.footer')
  for (const text of [CARD, `Sam ${COLLECTOR}`]) {
    const asked: readonly (readonly [method: string, path: string, body: object])[] = [
      ['POST', '/api/people', { name: text, role: 'cashier', locale: 'en-CA' }],
      ['POST', '/api/shifts/current/movements', { kind: 'pay-out', amountCents: 100, reason: text }],
      ['POST', '/api/returns/without-record', { items: [{ sku: '1001', quantity: 1 }], reason: text }],
      ['POST', `/api/sales/${sale.id}/hold`, { version: sale.version, name: text }],
      ['PUT', `/api/sales/${sale.id}/note`, { version: sale.version, line: null, note: text }],
      ['POST', '/api/catalog/items/search', { q: text }],
      [
        'PUT',
        '/api/settings/receipt.footer',
        { seen: setting?.newest ?? 0, to: { kind: 'value', value: { 'en-CA': ['Hello', text] } }, from: null },
      ],
    ]
    for (const [method, path, body] of asked) {
      const answer = await lane.call(method, path, body)
      expect({ path, ...answer.body }).toMatchObject({
        path,
        status: 400,
        code: 'note-holds-number',
        messages: { 'en-CA': expect.stringContaining('Card number'), 'fr-CA': expect.stringContaining('carte') },
      })
      expect(JSON.stringify(answer.body)).not.toContain(text)
    }
  }
  expect(await current()).toMatchObject({ id: sale.id, note: null })
})

test('JSON that is nested too deep is answered with 400', async () => {
  const lane = await openTerminalHarness(central, { staffId: 'sam' })
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  for (const body of [deep, `{"seen":0,"to":{"kind":"value","value":${deep}},"from":null}`, '{"a":'.repeat(30_000)]) {
    const answer = await fetch(`${lane.url}/api/settings/receipt.footer`, {
      method: 'PUT',
      headers: {
        origin: lane.url,
        ...lane.windowHeaders,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'body-invalid' })
  }
  expect((await lane.call('GET', '/api/terminal')).status).toBe(200)
})
