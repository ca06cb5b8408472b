import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { at, buildShell, dataOfShell, startShell } from './testing/built-shell.ts'
import type { Shell } from './testing/built-shell.ts'

/**
 * Runs the compiled shell of a package with its real backend and services, in Node. Only the `electron` module is a
 * fake; shell-smoke.campaign.test.ts covers the runtime.
 */
const TIMEOUT = 60_000
beforeAll(buildShell, 120_000)

const CASHIER = 'Alex Tremblay'
const backendOf = async (shell: Shell): Promise<number> => {
  await shell.next('page')
  // The shell forks the training services first and the backend second, so event 1 is the backend’s.
  return (await shell.next('fork', 1)).pid
}

describe('the built shell with its real backend', () => {
  it(
    'shows its window without ready-to-show, reports it, and ends everything when the window is closed',
    async () => {
      const shell = startShell({ readyToShow: false }, [], { MILEPOST_SHELL_REPORTS: '1' })
      expect((await shell.next('page')).staff).toContain(CASHIER)
      await shell.next('shown')
      shell.request({ request: 'close' })
      const { code, output } = await shell.ended
      expect(code).toBe(0)
      expect(output.split('\n')).toContain('{"milepost":"shown"}')
    },
    TIMEOUT,
  )

  it(
    'starts and shows its page without the sandbox if root requests that',
    async () => {
      const shell = startShell({ asRoot: true }, ['--no-sandbox'])
      expect((await shell.next('page')).staff).toContain(CASHIER)
    },
    TIMEOUT,
  )

  it(
    'restarts a killed backend although its socket file still exists',
    async () => {
      const shell = startShell({})
      process.kill(await backendOf(shell), 'SIGKILL')
      await shell.next('fork', 2)
      // The reloaded page still has its session, so that the cashier stays signed in.
      shell.request({ request: 'lose-page' })
      expect((await shell.next('page', 1)).staff).toContain(CASHIER)
      expect(shell.events.filter(({ type }) => type === 'fork')).toHaveLength(3)
    },
    TIMEOUT,
  )

  it(
    'prints French messages for a French store',
    async () => {
      const stores = path.join(dataOfShell(), 'stores')
      cpSync(at('stores'), stores, { recursive: true })
      const profile = path.join(stores, 'training.yaml')
      writeFileSync(profile, readFileSync(profile, 'utf8').replace('{ default: en-CA }', '{ default: fr-CA }'))
      const shell = startShell({}, ['--profile', profile, '--data', path.join(dataOfShell(), 'lane')])
      process.kill(await backendOf(shell), 'SIGKILL')
      await shell.next('fork', 2)
      shell.request({ request: 'close' })
      expect((await shell.ended).output).toContain('Arrêt imprévu : programme de la caisse (SIGKILL).')
    },
    TIMEOUT,
  )

  it(
    'does not mistake the signal that ended its backend for an exit code of the backend',
    async () => {
      const shell = startShell({})
      // SIGILL is signal 4, and the backend's exit code for missing data is 4 too.
      const backend = await backendOf(shell)
      process.kill(backend, 'SIGILL')
      expect((await shell.next('fork', 2)).script).toContain('electron')
      expect(shell.events.filter(({ type }) => type === 'error-box')).toEqual([])
    },
    TIMEOUT,
  )

  it(
    'keeps the launch token out of addresses and messages, and reloads a page that fails to load',
    async () => {
      const shell = startShell({ failingLoads: 2 })
      expect((await shell.next('page')).staff).toContain(CASHIER)
      shell.request({ request: 'close' })
      const { output, errors } = await shell.ended
      expect(JSON.stringify(shell.events) + output + errors).not.toContain('launch')
      expect(shell.events.filter(({ type }) => type === 'loading')).toHaveLength(3)
    },
    TIMEOUT,
  )

  it(
    'gives up on a page that crashes repeatedly, with a message and an exit code other than 0',
    async () => {
      const shell = startShell({})
      for (let crash = 0; crash < 6; crash++) {
        await shell.next('page', crash)
        shell.request({ request: 'lose-page' })
      }
      const { text } = await shell.next('error-box')
      expect(text).toContain('The screen cannot be shown (the page’s process ended: crashed)')
      expect(text).toContain('Aucune donnée n’est perdue. Redémarrez le terminal.')
      expect((await shell.ended).code).toBe(1)
    },
    TIMEOUT,
  )

  it(
    'has no menu in a kiosk, but one in a window',
    async () => {
      const kiosk = startShell({}, ['--kiosk'])
      expect((await kiosk.next('menu')).text).toBe('none')
      await kiosk.next('page')
      kiosk.request({ request: 'close' })
      await kiosk.ended
      const shell = startShell({})
      await shell.next('page')
      expect(shell.events.filter(({ type }) => type === 'menu')).toEqual([])
    },
    TIMEOUT,
  )

  it(
    'stops its backend gracefully when its window is closed',
    async () => {
      const shell = startShell({})
      await shell.next('page')
      shell.request({ request: 'close' })
      expect((await shell.ended).code).toBe(0)
      const log = readFileSync(path.join(dataOfShell(), 'logs', 'backend.log'), 'utf8')
      expect(log).toContain('"stopping"')
      expect(existsSync(path.join(dataOfShell(), 'backups'))).toBe(true)
    },
    TIMEOUT,
  )

  it(
    'provisions a client secret for an installer without an error, and exits with code 0',
    async () => {
      const shell = startShell({}, ['--provision-secret'], { MILEPOST_PROVISION_VALUE: 'made-up' })
      expect(await shell.ended).toMatchObject({ errors: '', code: 0 })
    },
    TIMEOUT,
  )

  it(
    'starts a production lane with its key and secret in files without a key store',
    async () => {
      mkdirSync(dataOfShell(), { recursive: true })
      writeFileSync(path.join(dataOfShell(), 'client.secret'), 'made-up\n', { mode: 0o600 })
      const real = ['--profile', at('stores', 'example.yaml')]
      const before = startShell({ keyStore: false }, real, { MILEPOST_SHELL_REPORTS: '1' })
      const refused = await before.ended
      expect(refused, 'a new key needs a key store').toMatchObject({
        code: 2,
        errors: expect.stringContaining('would store the secret as plain text') as string,
      })
      expect(refused.output).toContain('{"milepost":"refused"}')
      writeFileSync(path.join(dataOfShell(), 'seal.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
      const shell = startShell({ keyStore: false }, real)
      expect((await shell.next('page')).staff).toContain('Lise Fournier')
      shell.request({ request: 'close' })
      expect((await shell.ended).code).toBe(0)
      expect(
        existsSync(path.join(dataOfShell(), 'seal-key.sealed')),
        'nothing is sealed by a key store that stores no secret',
      ).toBe(false)
    },
    TIMEOUT,
  )

  it(
    'exits with the backend’s exit code when the backend refuses to start',
    async () => {
      const first = startShell({})
      await first.next('page')
      const second = startShell({}, [], { MILEPOST_SHELL_REPORTS: '1' })
      const { code, output } = await second.ended
      expect(code).toBe(3)
      expect(output).toContain('{"milepost":"refused"}')
    },
    TIMEOUT,
  )
})
