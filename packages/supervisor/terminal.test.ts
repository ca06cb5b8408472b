import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import FRENCH from '../../contracts/i18n/fr-CA/starting.ts'
import { AlreadyOpen, TerminalRefused } from './terminal-refused.ts'
import { launchNode } from './service.ts'
import { type RunningTerminal, type TerminalOptions, startTerminal } from './terminal.ts'

const STAND_IN = fileURLToPath(new URL('../../electron/testing/stand-in.ts', import.meta.url))
let folder: string
let terminal: RunningTerminal | null = null
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-terminal-'))
})
afterEach(async () => {
  await terminal?.stop()
  terminal = null
  rmSync(folder, { recursive: true, force: true })
})

const options = (more: Partial<TerminalOptions> = {}): TerminalOptions => ({
  mode: 'training',
  profileFile: () => 'training.yaml',
  dataFolder: folder,
  lane: '01',
  listen: { kind: 'port', port: 0 },
  backendMain: STAND_IN,
  centralMain: STAND_IN,
  staticFolder: '/screens',
  launch: launchNode,
  secrets: {},
  log: () => {},
  ...more,
})
const urlOf = (running: RunningTerminal): string => {
  if (!('url' in running.backend)) throw new Error('listens on a socket')
  return running.backend.url
}
const ask = async (url: string): Promise<{ argv: string[]; secret: string | null }> =>
  (await fetch(url)).json() as Promise<{ argv: string[]; secret: string | null }>

describe('the start of a terminal', () => {
  it('reports in the language of the lane that a program ended and restarts', async () => {
    const output = Promise.withResolvers<string>()
    terminal = await startTerminal(options({ log: output.resolve, messages: FRENCH }))
    process.kill(terminal.pids().backend ?? 0, 'SIGKILL')
    expect(await output.promise).toBe('Arrêt imprévu : programme de la caisse (SIGKILL). Redémarrage dans 0.25 s.')
  })

  it('reports why a backend that ended cannot restart', async () => {
    const fates: Record<string, string>[] = [{}, { STAND_IN_FATE: 'refuse' }]
    terminal = await startTerminal(
      options({
        mode: 'production',
        backoffMs: () => 0,
        launch: (request) => launchNode({ ...request, env: fates.shift() ?? {} }),
      }),
    )
    process.kill(terminal.pids().backend ?? 0, 'SIGKILL')
    const { message, exit } = await terminal.failed
    expect(exit?.code).toBe(2)
    expect(message).toMatch(/cannot start again \(exit code 2\)\.\nline 3: region: [^{}]*$/)
  })

  it('in training mode starts the lane’s own services and passes their addresses to the backend', async () => {
    terminal = await startTerminal(options())
    const { argv, secret } = await ask(urlOf(terminal))
    const central = JSON.parse(argv[argv.indexOf('--central-json') + 1] ?? '') as {
      url: string
      tokenUrl: string
      controlUrl: string
      clientId: string
    }
    expect(central).toEqual({
      url: central.url,
      tokenUrl: `${central.url}/oidc/token`,
      controlUrl: central.url,
      clientId: 'milepost-training',
    })
    expect((await ask(central.url)).argv).toContain(path.join(folder, 'central'))
    expect(secret).toBe('made-up')
    expect(argv.join(' ')).not.toContain('made-up')
  })

  it('of a production store starts no training services and passes the provisioned secret to the backend', async () => {
    terminal = await startTerminal(options({ mode: 'production', secrets: { MILEPOST_CLIENT_SECRET: 'provisioned' } }))
    const { argv, secret } = await ask(urlOf(terminal))
    expect(argv).not.toContain('--central-json')
    expect(secret).toBe('provisioned')
    expect(terminal.pids().central).toBeUndefined()
  })

  it('is refused with the reason on a data folder in use, before it starts a process', async () => {
    terminal = await startTerminal(options())
    const refusal: unknown = await startTerminal(
      options({
        launch: () => {
          throw new Error('must not start a process')
        },
      }),
    ).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(TerminalRefused)
    expect(refusal).toMatchObject({ exitCode: 3 })
    expect((refusal as TerminalRefused).message).toContain(`process ${process.pid}`)
    expect((refusal as TerminalRefused).message).toContain(folder)
  })

  it('on a data folder in use brings the first terminal’s window forward, and reports this', async () => {
    const forward = Promise.withResolvers<void>()
    terminal = await startTerminal(options({ window: { isOpen: () => true, bringToFront: forward.resolve } }))
    await expect(startTerminal(options())).rejects.toThrow(new AlreadyOpen(String(process.pid)))
    await forward.promise
  })

  it('succeeds on the data folder of a terminal that has ended', async () => {
    const first = await startTerminal(options())
    await first.stop()
    terminal = await startTerminal(options())
    expect((await ask(urlOf(terminal))).argv).toContain(folder)
  })

  it('waits for the backend of a terminal that was just killed to finish', async () => {
    const fates = ['busy', 'busy', undefined]
    terminal = await startTerminal(
      options({
        mode: 'production',
        launch: (request) => {
          const fate = fates.shift()
          return launchNode({ ...request, env: fate === undefined ? {} : { STAND_IN_FATE: fate } })
        },
      }),
    )
    expect(fates).toEqual([])
    expect((await ask(urlOf(terminal))).argv).toContain(folder)
  })

  it('prints the backend’s message if the backend rejects the profile, and leaves no process', async () => {
    let started = 0
    let ended = 0
    const refusal: unknown = await startTerminal(
      options({
        launch: (request) => {
          const child = launchNode(
            request.args.includes('--seed') ? request : { ...request, env: { STAND_IN_FATE: 'refuse' } },
          )
          started++
          void child.exited.then(() => {
            ended++
          })
          return child
        },
      }),
    ).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ exitCode: 2, message: 'line 3: region: expected one of BC, AB, …, found "ONN"' })
    expect({ started, ended }).toEqual({ started: 2, ended: 2 })
    expect(readFileSync(path.join(folder, 'logs', 'backend.log'), 'utf8')).toContain('"msg":"a log line"')
  })
})
