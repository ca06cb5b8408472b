import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { _electron } from '@playwright/test'
import { describe, expect, it } from 'vitest'
import { APP, buildPrograms, runNode } from './build-app.ts'
import { displayMissing } from './window/browser.ts'

/** The real shell, where its runtime and a display are present: the one thing that nothing else can stand in for. */
const root = fileURLToPath(new URL('..', import.meta.url))
const at = (...parts: string[]): string => path.join(root, ...parts)
const pathFile = at('node_modules', 'electron', 'path.txt')
const program = existsSync(pathFile) ? at('node_modules', 'electron', 'dist', readFileSync(pathFile, 'utf8')) : null

describe('the terminal inside Electron', () => {
  it('shows who may sign in, over its own scheme, and lets no page leave', async (context) => {
    if (program === null || !existsSync(program))
      return context.skip('the Electron runtime is not on this machine (its download was refused or not tried)')
    const noDisplay = displayMissing()
    if (noDisplay !== null) return context.skip(`Electron needs a display, and ${noDisplay}`)
    await buildPrograms(APP, { onlyWhenStale: true, log: () => {} })
    await runNode('the build of the screens', at('scripts', 'prepare.mjs'), ['screens'])
    const data = mkdtempSync(path.join(tmpdir(), 'milepost-shell-'))
    const shell = await _electron.launch({
      executablePath: program,
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        at('build', 'app'),
        '--profile',
        at('stores', 'training.yaml'),
        '--data',
        data,
      ],
    })
    try {
      const page = await shell.firstWindow()
      // The names come from the backend, for a session that the launch token opened: scheme, socket and cookie all
      // work.
      await page.getByText('Alex Tremblay').first().waitFor()
      expect(page.url()).toMatch(/^app:\/\/milepost\//)
      expect(
        await page.evaluate(() => [
          typeof Reflect.get(globalThis, 'require'),
          typeof Reflect.get(globalThis, 'process'),
        ]),
      ).toEqual(['undefined', 'undefined'])
      expect(await page.evaluate("window.open('https://example.org') === null")).toBe(true)
      await page.evaluate("location.href = 'https://example.org'")
      expect(page.url()).toMatch(/^app:\/\/milepost\//)
    } finally {
      await shell.close()
      rmSync(data, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})
