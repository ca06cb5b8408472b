import { expect, test } from 'vitest'
import { MAX_JSON_LEVELS, nestsTooDeep } from './json-depth.ts'

const nested = (levels: number): string => '[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2)

test('JSON with too many levels of arrays and objects is detected; brackets inside strings do not count', () => {
  expect(nestsTooDeep(nested(MAX_JSON_LEVELS))).toBe(false)
  expect(nestsTooDeep(nested(MAX_JSON_LEVELS + 2))).toBe(true)
  expect(nestsTooDeep('['.repeat(100_000))).toBe(true)
  expect(nestsTooDeep(JSON.stringify(['['.repeat(100), '\\"{{'.repeat(100), '\\']))).toBe(false)
  expect(nestsTooDeep(JSON.stringify(Array.from({ length: 1_000 }, () => [{}])))).toBe(false)
})
