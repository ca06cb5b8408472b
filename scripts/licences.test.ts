import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runStep } from './testing/steps.ts'

it('docs/licences.md is up to date, and every listed licence is compatible with Apache-2.0', async () => {
  const check = await runStep(fileURLToPath(new URL('./licences.ts', import.meta.url)), ['--check'])
  expect(check.output).toBe('')
  expect(check.ok).toBe(true)
})
