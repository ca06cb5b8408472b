import { afterAll, beforeAll, expect, it } from 'vitest'
import { ASSUMED_PATHS } from './http/unshown-paths.ts'
import { describeServices } from './openapi.ts'
import { openRehearsal, type Rehearsal } from './testing/rehearsal.ts'

let lane: Rehearsal
beforeAll(async () => { lane = await openRehearsal() })
afterAll(() => lane.close())

interface Operation { requestBody: { content: { 'application/json': { example: Record<string, unknown> } } }, responses: Record<string, unknown>, parameters: { name: string, required: boolean }[] }
const posts = Object.entries(describeServices(ASSUMED_PATHS).paths as Record<string, { post?: Operation }>).flatMap(([path, { post }]) => post && !path.startsWith('/oidc/') ? [{ path, post }] : [])

it('is served', async () => {
  const heard = await lane.get('/openapi.json')
  expect([heard.status, heard.body.openapi]).toEqual([200, '3.1.0'])
})

it.each(posts)('describes $path so that its example is a request that is understood', async ({ path, post }) => {
  const needsNoCache = post.parameters.some((parameter) => parameter.name === 'Cache-Control' && parameter.required)
  const heard = await lane.post(path, post.requestBody.content['application/json'].example, { headers: needsNoCache ? { 'cache-control': 'no-cache' } : {} })
  expect(Object.keys(post.responses)).toContain(String(heard.status))
  // A reversal of what was never redeemed and a return of what was never issued are well formed all the same.
  const understood = heard.status === 200 || heard.body.responseCode === '0057' || heard.text.includes('names no issue')
  expect([understood, heard.text]).toEqual([true, heard.text])
})

interface Read { parameters: { in: string, name: string, required: boolean, example?: string }[], responses: Record<string, { content: { 'application/json': { example: unknown } } }> }
const reads = Object.entries(describeServices(ASSUMED_PATHS).paths as Record<string, { get?: Read }>).flatMap(([path, { get }]) => get && !path.startsWith('/oidc/') ? [{ path, get }] : [])

it.each(reads)('describes GET $path so that its required parameters, as in the examples, are enough', async ({ path, get }) => {
  const required = get.parameters.filter((parameter) => parameter.required)
  expect(required.filter((parameter) => parameter.example === undefined)).toEqual([])
  const query = new URLSearchParams(required.filter((parameter) => parameter.in === 'query').map(({ name, example = '' }): [string, string] => [name, example]))
  const headers = Object.fromEntries(required.filter((parameter) => parameter.in === 'header').map(({ name, example = '' }) => [name, example]))
  const inPath = required.filter((parameter) => parameter.in === 'path').reduce((whole, { name, example = '' }) => whole.replace(`{${name}}`, example), path)
  const heard = await lane.get(`${inPath}?${query.toString()}`, { ...headers, authorization: `Bearer ${await lane.memberToken()}` })
  expect([heard.status, heard.text]).toEqual([200, heard.text])
  expect(get.responses[200]?.content['application/json'].example).toBeDefined()
})
