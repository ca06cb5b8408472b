import { afterAll, expect, it } from 'vitest'
import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import { REVOCATION_PATH } from './identity/artifacts.ts'
import { openRehearsal } from './rehearsal.fixture.ts'

const client = await openRehearsal()
afterAll(() => client.close())
const description = (await client.get('/openapi.json')).body

interface Operation {
  requestBody: { content: { 'application/json': { example: Record<string, unknown> } } }
  responses: Record<string, unknown>
  parameters?: { name: string; required: boolean }[]
}
const posts = Object.entries(description.paths as Record<string, { post?: Operation }>).flatMap(([path, { post }]) =>
  post && !path.startsWith('/oidc/') ? [{ path, post }] : [],
)

it('the API description is served', async () => {
  const received = await client.get('/openapi.json')
  expect([received.status, received.body.openapi]).toEqual([200, '3.1.0'])
})

it.each(posts)('the example of $path in the API description is accepted by the service', async ({ path, post }) => {
  const needsNoCache = post.parameters?.some((parameter) => parameter.name === 'Cache-Control' && parameter.required)
  const received = await client.post(path, post.requestBody.content['application/json'].example, {
    headers: needsNoCache ? { 'cache-control': 'no-cache' } : {},
  })
  expect(Object.keys(post.responses)).toContain(String(received.status))
  const understood =
    received.status === 200 || received.body.responseCode === '0057' || received.text.includes('names no issue')
  expect([understood, received.text]).toEqual([true, received.text])
})

interface Read {
  parameters: { in: string; name: string; required: boolean; example?: string }[]
  responses: Record<string, { content: { 'application/json': { example: unknown } } }>
}
const reads = Object.entries(description.paths as Record<string, { get?: Read }>).flatMap(([path, { get }]) =>
  get && !path.startsWith('/oidc/') ? [{ path, get }] : [],
)

it.each(reads)('the required parameters of GET $path in the API description are sufficient', async ({ path, get }) => {
  const required = get.parameters.filter((parameter) => parameter.required)
  expect(required.filter((parameter) => parameter.example === undefined)).toEqual([])
  const query = new URLSearchParams(
    required
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, example = '' }): [string, string] => [name, example]),
  )
  const headers = Object.fromEntries(
    required.filter((parameter) => parameter.in === 'header').map(({ name, example = '' }) => [name, example]),
  )
  const inPath = required
    .filter((parameter) => parameter.in === 'path')
    .reduce((whole, { name, example = '' }) => whole.replace(`{${name}}`, example), path)
  const received = await client.get(`${inPath}?${query.toString()}`, {
    ...headers,
    authorization: `Bearer ${await client.memberToken()}`,
  })
  expect([received.status, received.text]).toEqual([200, received.text])
  expect(get.responses[200]?.content['application/json'].example).toBeDefined()
})

interface Described {
  description: string
  content?: Record<string, { schema: { properties?: Record<string, { type?: string }> }; example?: unknown }>
}
const described = description.paths as Record<string, Record<string, { responses: Record<string, Described> }>>
const responsesOf = (path: string): Record<string, Described> => described[path]?.post?.responses ?? {}
const codesOf = (path: string): string[] =>
  Object.values(responsesOf(path))
    .flatMap(({ description }) => description.match(/\b\d{4}\b/g) ?? [])
    .sort()
const everyResponse = Object.entries(described).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { responses }]) =>
    Object.entries(responses).map(([status, response]) => [`${method} ${path} ${status}`, status, response] as const),
  ),
)

it.each(everyResponse.filter(([, status]) => status !== '204'))(
  'the API description has an example of the answer to %s',
  (_name, _status, response) => {
    expect(Object.values(response.content ?? {}).map(({ example }) => example)).toEqual([expect.anything()])
  },
)
it.each([ISSUANCE_PATHS.calculate, ISSUANCE_PATHS.record])(
  'the API description lists no 202 for %s (specification 3 §4.2, §4.3)',
  (path) => {
    expect(Object.keys(responsesOf(path)).sort()).toEqual(['200', '400', '401', '500'])
  },
)
it('the API description lists exactly the codes of specification 3 §7.2 for ECHO and INQUIRE', () => {
  expect(codesOf(CASH_PATHS.echo)).toEqual(['0000', '0008', '0035', '0092', '0096'])
  expect(codesOf(CASH_PATHS.inquire)).toEqual([
    '0000',
    '0001',
    '0002',
    '0005',
    '0006',
    '0008',
    '0009',
    '0025',
    '0035',
    '0051',
    '0067',
    '0092',
    '0096',
  ])
})
it('the API description shows every cash field as a string (specification 3 §2.4)', () => {
  const { errors, ...fields } =
    responsesOf(CASH_PATHS.inquire)['200']?.content?.['application/json']?.schema.properties ?? {}
  expect(new Set(Object.values(fields).map(({ type }) => type))).toEqual(new Set(['string']))
  expect(errors?.type).toBe('array')
})
it('the API description of token revocation matches the answers of the service', async () => {
  expect(Object.keys(responsesOf(REVOCATION_PATH)).sort()).toEqual(['200', '400', '401'])
  const revoke = async (fields: Record<string, string>, secret = client.central.clientSecret) =>
    await fetch(`${client.central.url}${REVOCATION_PATH}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { authorization: `Basic ${Buffer.from(`${client.central.clientId}:${secret}`).toString('base64')}` },
    })
  const received = [await revoke({ token: 'nothing' }), await revoke({}), await revoke({ token: 'nothing' }, 'wrong')]
  expect(received.map(({ status }) => status)).toEqual([200, 400, 401])
  const { 400: flawed, 401: refused } = responsesOf(REVOCATION_PATH)
  for (const [index, response] of [
    [1, flawed],
    [2, refused],
  ] as const) {
    const { error } = (await Promise.resolve(received[index]?.json())) as { error?: string }
    expect(response?.content?.['application/json']?.example).toMatchObject({ error })
  }
})
