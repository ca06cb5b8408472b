import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Sale } from '../../contracts/api/sales.ts'
import type { Profile } from '../../contracts/profile.ts'
import { createTerminal } from '../app.ts'
import { systemChance, systemClock } from '../clock.ts'
import { claimDataFolder } from '../data-folder.ts'
import { temporaryFolder, testLog } from '../http/testing.ts'
import type { Centre } from './centre.ts'
import { trainingProfile } from './till.ts'
import { openWindow, type Window } from './window.ts'

const PROFILE = join(import.meta.dirname, '../../stores/training.yaml')

/** A whole terminal in training mode with Alex signed in: real HTTP, a real database file, virtual devices on their wires. */
export interface Counter extends Pick<Window, 'call' | 'current' | 'until' | 'swipe'> {
  /** The code of the problem that a call meets. */
  refused(method: string, path: string, body?: object): Promise<string>
  ring(sku: string, quantity?: number): Promise<Sale>
  readonly folder: string
}

export async function openCounter(centre: Centre, change: { limits?: Partial<Profile['limits']>; cashUrl?: string; folder?: string } = {}): Promise<Counter> {
  const profile = trainingProfile(change.limits)
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const folder = change.folder ?? temporaryFolder()
  let host = ''
  const terminal = await createTerminal({
    profile, profileFile: PROFILE, lane, folder: claimDataFolder(folder, null, null), clientSecret: centre.clientSecret, staticRoot: null, version: 'test', clock: systemClock, chance: systemChance, log: testLog().log,
    endpoints: { cash: change.cashUrl ?? centre.url, issuance: centre.url, offers: centre.url, token: { url: centre.tokenUrl, clientId: centre.clientId } },
    allowedHosts: () => [host],
  })
  const url = await terminal.app.listen({ host: '127.0.0.1', port: 0 })
  host = new URL(url).host
  terminal.start()

  const window = await openWindow(url, { launchToken: terminal.sessions.mintLaunchToken() })
  const { call, current, until, swipe } = window
  onTestFinished(async () => {
    window.close()
    await terminal.close()
  })
  await call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })

  return {
    call,
    folder,
    until,
    refused: async (method, path, body) => {
      const answer = await call(method, path, body)
      if (answer.status < 400) throw new Error(`${method} ${path} was not refused`)
      return answer.body.code
    },
    current,
    ring: async (sku, quantity = 1) => (await call('POST', '/api/sales/current/lines', { sku, quantity })).body.sale,
    swipe,
  }
}
