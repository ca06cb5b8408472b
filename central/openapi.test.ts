import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeServices } from './openapi.ts'
import { openRehearsal, type Rehearsal } from './rehearsal.ts'

let lane: Rehearsal
beforeAll(async () => { lane = await openRehearsal() })
afterAll(() => lane.close())

interface Operation { requestBody: { content: { 'application/json': { example: Record<string, unknown> } } }, responses: Record<string, unknown>, parameters: { name: string, required: boolean }[] }
const posts = Object.entries(describeServices().paths as Record<string, { post?: Operation }>).flatMap(([path, { post }]) => post ? [{ path, post }] : [])

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
