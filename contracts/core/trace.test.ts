import { expect, test } from 'vitest'
import { TraceId, traceOfParent, traceparentOf } from './trace.ts'

const TRACE = TraceId.parse('6d3f0b5ac1e24c5f9a7d2e4b6c0f1a3d')
const SPAN = '00f067aa0ba902b7'

test('a trace id that was written to a traceparent header is read back from it', () => {
  expect(traceOfParent(traceparentOf(TRACE, SPAN))).toBe(TRACE)
  expect(traceOfParent(`00-${TRACE}-${SPAN}-00`)).toBe(TRACE)
})

test.each([
  undefined,
  '',
  ['00', TRACE],
  TRACE,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `01-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01\n{"msg":"made up"}`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
])('%j is not accepted as a trace header', (header) => {
  expect(traceOfParent(header)).toBeNull()
})
