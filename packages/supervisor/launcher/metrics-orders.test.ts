import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { opensScrape } from '../../delivery/metrics-registry.ts'
import { orderMetrics } from './bundle-orders.ts'
import { wordsOf } from './words.ts'

const say = wordsOf('en-CA')

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'milepost-metrics-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** What an order says on standard output, and its exit code. */
function order(data: string, action: string): { code: number | null; said: string } {
  const said = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const complained = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  try {
    return { code: orderMetrics(data, action, say), said: String(said.mock.calls[0]?.[0] ?? '') }
  } finally {
    said.mockRestore()
    complained.mockRestore()
  }
}

test('a token is told once and is in no file; another takes its place, and off ends it', () => {
  const data = folder()
  expect(order(data, 'status').said).toBe('Off: nobody reads the metrics.')
  const { code, said: token } = order(data, 'on')
  expect(code).toBe(0)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(opensScrape(data, token)).toBe(true)
  for (const name of readdirSync(data)) {
    expect(readFileSync(path.join(data, name), 'utf8')).not.toContain(token)
    expect(statSync(path.join(data, name)).mode & 0o077).toBe(0)
  }
  expect(order(data, 'status').said).toBe('On: whoever has the token reads the metrics.')

  const { said: another } = order(data, 'on')
  expect([opensScrape(data, token), opensScrape(data, another)]).toEqual([false, true])
  order(data, 'off')
  expect(opensScrape(data, another)).toBe(false)
  expect(readdirSync(data)).toEqual([])
})

test('another word is none, and a folder that is not there is said', () => {
  const data = folder()
  expect(order(data, 'perhaps').code).toBeNull()
  expect(() => order(path.join(data, 'gone'), 'on')).toThrow(/Start the lane once/)
})
