import { expect, onTestFinished, test } from 'vitest'
import { LANE_ROUTES } from '../../../contracts/core/lane-routes.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

test('a lane serves every declared route, and no other except the event stream, without a warning', async () => {
  const warnings: Error[] = []
  const record = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', record)
  onTestFinished(() => void process.off('warning', record))
  const harness = await openTerminalHarness(central)
  const { body } = await harness.call('GET', '/api/openapi.json')
  const served = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replace(/^\/api/, '').replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ),
  )
  expect(served.sort()).toEqual([...Object.keys(LANE_ROUTES), 'GET /events'].sort())
  expect(warnings).toEqual([])
})

test('in the API description every operation has a tag, and every reference is defined', async () => {
  const harness = await openTerminalHarness(central)
  const { body } = await harness.call('GET', '/api/openapi.json')
  const found = [...JSON.stringify(body).matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference = '']) => reference)
  const at = (reference: string): unknown =>
    reference
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((inside, name) => (inside as Record<string, unknown> | undefined)?.[name], body)
  expect(found.filter((reference) => at(reference) === undefined)).toEqual([])
  const operations = Object.entries(body.paths as Record<string, Record<string, { tags?: string[] }>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, { tags }]) => ({ name: `${method} ${path}`, tags })),
  )
  expect(operations.filter(({ tags }) => tags === undefined).map(({ name }) => name)).toEqual([])
})
