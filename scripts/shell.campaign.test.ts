import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { at, buildShell, dataOfShell, startShell } from './testing/built-shell.ts'
import type { Shell } from './testing/built-shell.ts'

/**
 * The shell as the package has it, compiled, with its real backend and services, in a real Node. Only the `electron`
 * module is a stand-in; what the runtime itself does is for shell-smoke.campaign.test.ts.
 */
const TIMEOUT = 60_000
beforeAll(buildShell, 120_000)

const CASHIER = 'Alex Tremblay'
const backendOf = async (shell: Shell): Promise<number> => {
  await shell.next('page')
  // The training services are started first, the backend second.
  return (await shell.next('fork', 1)).pid
}

describe('the shell', () => {
  it(
    'shows its window where ready-to-show never comes, tells it, and ends with everything at a closed window',
    async () => {
      const shell = startShell({ readyToShow: false }, [], { MILEPOST_SHELL_REPORTS: '1' })
      expect((await shell.next('page')).staff).toContain(CASHIER)
      await shell.next('shown')
      shell.order({ order: 'close' })
      const { code, said } = await shell.ended
      expect(code).toBe(0)
      expect(said.split('\n')).toContain('{"milepost":"shown"}')
    },
    TIMEOUT,
  )

  it(
    'as root keeps the sandbox off that the person has put off, so that its programs live',
    async () => {
      const shell = startShell({ asRoot: true }, ['--no-sandbox'])
      expect((await shell.next('page')).staff).toContain(CASHIER)
    },
    TIMEOUT,
  )

  it(
    'brings a killed backend back although its socket was left behind',
    async () => {
      const shell = startShell({})
      process.kill(await backendOf(shell), 'SIGKILL')
      await shell.next('fork', 2)
      // The page that asks again is answered for the session that it had.
      shell.order({ order: 'lose-page' })
      expect((await shell.next('page', 1)).staff).toContain(CASHIER)
      expect(shell.told.filter(({ told }) => told === 'fork')).toHaveLength(3)
    },
    TIMEOUT,
  )

  it(
    'tells a store that speaks French so',
    async () => {
      const stores = path.join(dataOfShell(), 'stores')
      cpSync(at('stores'), stores, { recursive: true })
      const profile = path.join(stores, 'training.yaml')
      writeFileSync(profile, readFileSync(profile, 'utf8').replace('{ default: en-CA }', '{ default: fr-CA }'))
      const shell = startShell({}, ['--profile', profile, '--data', path.join(dataOfShell(), 'lane')])
      process.kill(await backendOf(shell), 'SIGKILL')
      await shell.next('fork', 2)
      shell.order({ order: 'close' })
      expect((await shell.ended).said).toContain('Arrêt imprévu : programme de la caisse (SIGKILL).')
    },
    TIMEOUT,
  )

  it(
    'does not take the signal that ended its backend for a refusal of the backend',
    async () => {
      const shell = startShell({})
      // SIGILL is 4, and so is the backend's own "data missing".
      const backend = await backendOf(shell)
      process.kill(backend, 'SIGILL')
      expect((await shell.next('fork', 2)).script).toContain('electron')
      expect(shell.told.filter(({ told }) => told === 'error-box')).toEqual([])
    },
    TIMEOUT,
  )

  it(
    'names the launch token in no address and no message, and tries a page that does not load again',
    async () => {
      const shell = startShell({ failingLoads: 2 })
      expect((await shell.next('page')).staff).toContain(CASHIER)
      shell.order({ order: 'close' })
      const { said, complained } = await shell.ended
      expect(JSON.stringify(shell.told) + said + complained).not.toContain('launch')
      expect(shell.told.filter(({ told }) => told === 'loading')).toHaveLength(3)
    },
    TIMEOUT,
  )

  it(
    'gives a page that crashes again and again up, with words and an exit code that is not 0',
    async () => {
      const shell = startShell({})
      for (let crash = 0; crash < 6; crash++) {
        await shell.next('page', crash)
        shell.order({ order: 'lose-page' })
      }
      const { text } = await shell.next('error-box')
      expect(text).toContain('The screen cannot be shown (the page’s process ended: crashed)')
      expect(text).toContain('Rien n’est perdu : redémarrez le terminal.')
      expect((await shell.ended).code).toBe(1)
    },
    TIMEOUT,
  )

  it(
    'has no menu in a kiosk, and one in a window',
    async () => {
      const kiosk = startShell({}, ['--kiosk'])
      expect((await kiosk.next('menu')).text).toBe('none')
      await kiosk.next('page')
      kiosk.order({ order: 'close' })
      await kiosk.ended
      const shell = startShell({})
      await shell.next('page')
      expect(shell.told.filter(({ told }) => told === 'menu')).toEqual([])
    },
    TIMEOUT,
  )

  it(
    'stops its backend by asking, so that it closes as it does at every end',
    async () => {
      const shell = startShell({})
      await shell.next('page')
      shell.order({ order: 'close' })
      expect((await shell.ended).code).toBe(0)
      const log = readFileSync(path.join(dataOfShell(), 'logs', 'backend.log'), 'utf8')
      expect(log).toContain('"stopping"')
      expect(existsSync(path.join(dataOfShell(), 'backups'))).toBe(true)
    },
    TIMEOUT,
  )

  it(
    'of a real lane adopts the key of the data folder, and asks the key store as it is asked today',
    async () => {
      const shell = startShell({}, ['--provision-secret'], { MILEPOST_PROVISION_VALUE: 'made-up' })
      expect(await shell.ended).toMatchObject({ complained: '', code: 0 })
    },
    TIMEOUT,
  )

  it(
    'of a real lane that has sold in a browser starts where there is no key store: its key and its secret are in files',
    async () => {
      mkdirSync(dataOfShell(), { recursive: true })
      writeFileSync(path.join(dataOfShell(), 'client.secret'), 'made-up\n', { mode: 0o600 })
      const real = ['--profile', at('stores', 'example.yaml')]
      const before = startShell({ keyStore: false }, real, { MILEPOST_SHELL_REPORTS: '1' })
      const refused = await before.ended
      expect(refused, 'a new key needs one').toMatchObject({
        code: 2,
        complained: expect.stringContaining('no key store that keeps a secret') as string,
      })
      expect(refused.said).toContain('{"milepost":"refused"}')
      writeFileSync(path.join(dataOfShell(), 'seal.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
      const shell = startShell({ keyStore: false }, real)
      expect((await shell.next('page')).staff).toContain('Lise Fournier')
      shell.order({ order: 'close' })
      expect((await shell.ended).code).toBe(0)
      expect(
        existsSync(path.join(dataOfShell(), 'seal-key.sealed')),
        'nothing is sealed by a store that keeps no secret',
      ).toBe(false)
    },
    TIMEOUT,
  )

  it(
    'that is refused says so with the backend’s own code',
    async () => {
      const first = startShell({})
      await first.next('page')
      const second = startShell({}, [], { MILEPOST_SHELL_REPORTS: '1' })
      const { code, said } = await second.ended
      expect(code).toBe(3)
      expect(said).toContain('{"milepost":"refused"}')
    },
    TIMEOUT,
  )
})
