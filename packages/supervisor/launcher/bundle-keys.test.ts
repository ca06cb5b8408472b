import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { packBundle } from '../../delivery/bundle.ts'
import { listOf, newSigner, bundleContent } from '../../delivery/testing/bundle-content.ts'
import { sealTrust } from '../../delivery/trust.ts'
import { bundle } from './commands.ts'
import { launcherTranslator } from './translators.ts'

test('a lane that missed a change of bundle keys gets them by the CLI command in its error message', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-bundle-keys-'))
  const output: string[] = []
  const onLine = (line: string): unknown => output.push(line)
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(onLine),
    vi.spyOn(console, 'error').mockImplementation(onLine),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    rmSync(folder, { recursive: true, force: true })
  })
  const [first, second] = [newSigner(), newSigner()]
  const lists = [sealTrust(listOf(1, [first]), first), sealTrust(listOf(2, [first, second]), first)]
  const at = (...names: string[]): string => path.join(folder, ...names)
  for (const name of ['store', 'trust']) mkdirSync(at(name))
  for (const [index, list] of lists.entries()) writeFileSync(at('trust', `00000${index + 1}.keys`), list)
  writeFileSync(at('store', 'trust.keys'), lists[0] ?? '')
  writeFileSync(at('store', 'store.bundle'), packBundle(bundleContent({ sequence: 1 }), first))
  writeFileSync(at('next.bundle'), packBundle(bundleContent({ sequence: 2 }), second))
  const program = {
    folder: at('slots', 'a'),
    translate: launcherTranslator('en-CA'),
    locale: 'en-CA',
    language: null,
    log: onLine,
  } as const
  const put = (...more: string[]): Promise<number> =>
    bundle(['put', at('next.bundle'), '--data', at('data'), ...more], program)
  expect(await put()).toBe(1)
  expect(output.join()).toContain('--trust FOLDER/trust')
  expect(await put('--trust', at('trust'))).toBe(0)
})
