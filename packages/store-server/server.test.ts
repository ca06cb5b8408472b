import { expect, onTestFinished, test } from 'vitest'
import { makeSelfSigned } from './certificate/self-signed.ts'
import { createLog } from './log.ts'
import { createStoreCounts } from './metrics/counts.ts'
import { createServer } from './server.ts'

test('the store server answers 400 to JSON that is nested too deeply', async () => {
  const log = createLog('silent')
  const app = createServer({ log, counts: createStoreCounts() }, await makeSelfSigned(['localhost'], new Date(), 1))
  onTestFinished(async () => app.close())
  app.post('/echo', { bodyLimit: 1_000_000 }, (request) => request.body)
  const post = (payload: string) =>
    app.inject({ method: 'POST', url: '/echo', headers: { 'content-type': 'application/json' }, payload })
  const deep = await post('['.repeat(100_000) + ']'.repeat(100_000))
  expect(deep.statusCode).toBe(400)
  expect(deep.json()).toMatchObject({ refused: 'unreadable' })
  expect((await post('[[1]]')).json()).toEqual([[1]])
})
