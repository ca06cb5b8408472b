import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findAutostart } from '../../delivery/autostart.ts'
import { runAutostartSubcommand, type Machine } from './autostart.ts'
import { launcherTranslator } from './translators.ts'

function machine(): { readonly here: Machine; readonly output: string[] } {
  const configFolder = mkdtempSync(path.join(tmpdir(), 'milepost-autostart-'))
  const output: string[] = []
  const spies = (['log', 'error'] as const).map((to) =>
    vi.spyOn(console, to).mockImplementation((line: string) => void output.push(line)),
  )
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    rmSync(configFolder, { recursive: true, force: true })
  })
  return { here: { platform: 'linux', configFolder, systemd: 252, sudoOf: null }, output }
}
const requestFor = (dataFolder: string, action: string, named = false) =>
  ({ named, action, kind: 'unit', start: { argv: ['/opt/milepost'], workingFolder: '/opt', dataFolder } }) as const

test('autostart of a user’s second lane replaces the first lane’s and reports it', () => {
  const { here, output } = machine()
  const translate = launcherTranslator('en-CA')
  expect(runAutostartSubcommand(requestFor('/data/01', 'install'), here, translate)).toBe(0)
  expect(runAutostartSubcommand(requestFor('/data/01', 'install'), here, translate)).toBe(0)
  expect(output.join('\n')).not.toContain('no more')
  expect(runAutostartSubcommand(requestFor('/data/02', 'install'), here, translate)).toBe(0)
  expect(output.at(-1)).toContain('The lane in /data/01 no longer starts automatically')
  expect(runAutostartSubcommand(requestFor('/data/01', 'remove'), here, launcherTranslator('fr-CA'))).toBe(0)
  expect(output.at(-1)).toContain('La caisse de /data/02 ne démarre plus')
})

test('autostart refuses to run with sudo, which would use the session of root', () => {
  const { here, output } = machine()
  expect(
    runAutostartSubcommand(requestFor('/data/01', 'install'), { ...here, sudoOf: 'lane' }, launcherTranslator('en-CA')),
  ).toBe(2)
  expect(output).toEqual([expect.stringContaining('Run this as lane, without sudo')])
  expect(findAutostart(here.configFolder)).toEqual([])
})

test('autostart reports which of a user’s two lanes starts, and removal by the other lane changes nothing', () => {
  const { here, output } = machine()
  const run = (action: string, folder: string, named = true): number | null => {
    output.length = 0
    return runAutostartSubcommand(requestFor(folder, action, named), here, launcherTranslator('en-CA'))
  }
  expect(run('install', '/data/02')).toBe(0)
  expect(run('install', '/data/03')).toBe(0)
  expect(run('show', '/data/03')).toBe(0)
  expect(run('show', '/data/02')).toBe(1)
  expect(output[0]).toBe('This session starts another lane: /data/03.')
  expect(run('remove', '/data/02')).toBe(2)
  expect(findAutostart(here.configFolder)).toMatchObject([{ dataFolder: '/data/03' }])
  expect(run('show', '/data/01', false)).toBe(0)
  expect(run('remove', '/data/01', false)).toBe(0)
  expect(findAutostart(here.configFolder)).toEqual([])
})
