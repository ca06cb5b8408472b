import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findAutostart } from '../../delivery/autostart.ts'
import { orderAutostart, type Machine } from './autostart.ts'
import { wordsOf } from './words.ts'

function machine(): { readonly here: Machine; readonly said: string[] } {
  const configFolder = mkdtempSync(path.join(tmpdir(), 'milepost-autostart-'))
  const said: string[] = []
  const spies = (['log', 'error'] as const).map((to) =>
    vi.spyOn(console, to).mockImplementation((line: string) => void said.push(line)),
  )
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    rmSync(configFolder, { recursive: true, force: true })
  })
  return { here: { platform: 'linux', configFolder, systemd: 252, sudoOf: null }, said }
}
const orderFor = (dataFolder: string, action: string, named = false) =>
  ({ named, action, kind: 'unit', start: { command: ['/opt/milepost'], workingFolder: '/opt', dataFolder } }) as const

test('the second lane of a user takes the place of the first, and says so', () => {
  const { here, said } = machine()
  const say = wordsOf('en-CA')
  expect(orderAutostart(orderFor('/data/01', 'install'), here, say)).toBe(0)
  expect(orderAutostart(orderFor('/data/01', 'install'), here, say)).toBe(0)
  expect(said.join('\n')).not.toContain('no more')
  expect(orderAutostart(orderFor('/data/02', 'install'), here, say)).toBe(0)
  expect(said.at(-1)).toContain('The lane in /data/01 starts by itself no more')
  expect(orderAutostart(orderFor('/data/01', 'remove'), here, wordsOf('fr-CA'))).toBe(0)
  expect(said.at(-1)).toContain('La caisse de /data/02 ne démarre plus')
})

test('with sudo nothing is set up: it would be the session of root', () => {
  const { here, said } = machine()
  expect(orderAutostart(orderFor('/data/01', 'install'), { ...here, sudoOf: 'lane' }, wordsOf('en-CA'))).toBe(2)
  expect(said).toEqual([expect.stringContaining('Run this as lane, without sudo')])
  expect(findAutostart(here.configFolder)).toEqual([])
})

test('of two lanes of a user the one that starts is told, and the other’s command removes nothing of it', () => {
  const { here, said } = machine()
  const order = (action: string, folder: string, named = true): number | null => {
    said.length = 0
    return orderAutostart(orderFor(folder, action, named), here, wordsOf('en-CA'))
  }
  expect(order('install', '/data/02')).toBe(0)
  expect(order('install', '/data/03')).toBe(0)
  expect(order('show', '/data/03')).toBe(0)
  expect(order('show', '/data/02')).toBe(1)
  expect(said[0]).toBe('This session starts another lane: /data/03.')
  expect(order('remove', '/data/02')).toBe(2)
  expect(findAutostart(here.configFolder)).toMatchObject([{ dataFolder: '/data/03' }])
  // Nobody named one: whichever starts.
  expect(order('show', '/data/01', false)).toBe(0)
  expect(order('remove', '/data/01', false)).toBe(0)
  expect(findAutostart(here.configFolder)).toEqual([])
})
