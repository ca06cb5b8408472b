import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { opensScrape } from '../../delivery/metrics-registry.ts'
import { runMetricsSubcommand } from './bundle-subcommands.ts'
import { launcherTranslator } from './translators.ts'

const translate = launcherTranslator('en-CA')

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'milepost-metrics-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function run(data: string, action: string): { code: number | null; output: string } {
  const output = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const errorOutput = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  try {
    return { code: runMetricsSubcommand(data, action, translate), output: String(output.mock.calls[0]?.[0] ?? '') }
  } finally {
    output.mockRestore()
    errorOutput.mockRestore()
  }
}

test('the CLI command “metrics on” prints a new token once and stores it in no file, and “off” disables it', () => {
  const data = folder()
  expect(run(data, 'status').output).toBe('Off: the metrics cannot be read.')
  const { code, output: token } = run(data, 'on')
  expect(code).toBe(0)
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(opensScrape(data, token)).toBe(true)
  for (const name of readdirSync(data)) {
    expect(readFileSync(path.join(data, name), 'utf8')).not.toContain(token)
    expect(statSync(path.join(data, name)).mode & 0o077).toBe(0)
  }
  expect(run(data, 'status').output).toBe('On: the metrics can be read with the token.')

  const { output: another } = run(data, 'on')
  expect([opensScrape(data, token), opensScrape(data, another)]).toEqual([false, true])
  run(data, 'off')
  expect(opensScrape(data, another)).toBe(false)
  expect(readdirSync(data)).toEqual([])
})

test('the CLI command “metrics” rejects an unknown action and a missing data folder', () => {
  const data = folder()
  expect(run(data, 'perhaps').code).toBeNull()
  expect(() => run(path.join(data, 'gone'), 'on')).toThrow(/Start the lane once/)
})
