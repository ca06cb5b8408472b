import { expect, test } from 'vitest'
import { parseBody } from './call.ts'

test('reads JSON, and neither other text nor JSON that is nested too deep', () => {
  expect(parseBody(Buffer.from('{"a":[1]}'))).toEqual({ a: [1] })
  expect(parseBody(Buffer.from('{'))).toBeUndefined()
  expect(parseBody(Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`))).toBeUndefined()
})
