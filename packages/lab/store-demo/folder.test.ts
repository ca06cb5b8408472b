import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dataHome } from '../../supervisor/places.ts'
import { defaultDemoFolder } from './folder.ts'

test('the demo store of root stays out of the home folder of the store server, unless an earlier demo is there', () => {
  const earlier = mkdtempSync(path.join(tmpdir(), 'milepost-demo-'))
  onTestFinished(() => rmSync(earlier, { recursive: true, force: true }))
  expect(defaultDemoFolder(false)).toBe(path.join(dataHome(), 'milepost', 'store-demo'))
  expect(defaultDemoFolder(true, earlier)).toBe('/var/lib/milepost-store-demo')
  writeFileSync(path.join(earlier, 'demo.json'), '{}')
  expect(defaultDemoFolder(true, earlier)).toBe(earlier)
})
