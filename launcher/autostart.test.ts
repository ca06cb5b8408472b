import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { orderAutostart } from './autostart.ts'
import { wordsOf } from './words.ts'

test('of two lanes of a user the one that starts is told, and the other’s command removes nothing of it', () => {
  const configFolder = mkdtempSync(path.join(tmpdir(), 'milepost-autostart-'))
  const said: string[] = []
  const hear = (line: string): unknown => said.push(line)
  const spies = [vi.spyOn(console, 'log').mockImplementation(hear), vi.spyOn(console, 'error').mockImplementation(hear)]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    rmSync(configFolder, { recursive: true, force: true })
  })
  const order = (action: string, lane: string, named = true): number | null => {
    const command = ['milepost', '--lane', lane] as const
    const start = { command, workingFolder: '/opt/milepost', dataFolder: `/data/${lane}` }
    const machine = { platform: 'linux', configFolder, systemd: null } as const
    said.length = 0
    return orderAutostart({ action, kind: 'entry', start, named }, machine, wordsOf('en-CA'))
  }
  expect(order('install', '02')).toBe(0)
  expect(order('install', '03')).toBe(0)
  expect(said).toContain('It starts one lane. No longer: /data/02.')
  expect(order('show', '03')).toBe(0)
  expect(order('show', '02')).toBe(1)
  expect(said[0]).toBe('This session starts another lane: /data/03.')
  expect(order('remove', '02')).toBe(2)
  expect(existsSync(path.join(configFolder, 'autostart', 'milepost.desktop'))).toBe(true)
  // Nobody named one: whichever starts.
  expect(order('show', '01', false)).toBe(0)
  expect(order('remove', '01', false)).toBe(0)
  expect(existsSync(path.join(configFolder, 'autostart', 'milepost.desktop'))).toBe(false)
})
