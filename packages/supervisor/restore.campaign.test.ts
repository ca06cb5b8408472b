import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KEY_HEADER, openWindowAt, windowHeaders } from '../../contracts/core/window.ts'
import { Backups } from '../../contracts/operations/backups.ts'
import { launchNode } from './service.ts'
import { startTerminal, type RunningTerminal } from './terminal.ts'

const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const MANAGER = { staffId: 'sam', pin: '9999' }
let folder: string
let terminal: RunningTerminal | null = null
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-supervised-'))
})
afterEach(async () => {
  await terminal?.stop()
  terminal = null
  rmSync(folder, { recursive: true, force: true })
})

async function openWindow(url: string, launchUrl: string) {
  const key = await openWindowAt(url, launchUrl)
  const call = async (method: string, where: string, body?: object): Promise<string> => {
    const response = await fetch(url + where, {
      method,
      headers: {
        ...(await windowHeaders(url, key)),
        'content-type': 'application/json',
        [KEY_HEADER]: randomUUID(),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${where}: ${response.status} ${answer}`)
    return answer
  }
  const list = async (): Promise<Backups> => Backups.parse(JSON.parse(await call('GET', '/api/backups')))
  return {
    signIn: () => call('POST', '/api/sign-in', MANAGER),
    post: (where: string, body: object = {}) => call('POST', where, body),
    list,
    async idle(): Promise<Backups> {
      await expect.poll(async () => (await list()).work, { timeout: 60_000 }).toBeNull()
      return list()
    },
  }
}

it('the backend restarts immediately after a restore, on the same port, for the same window', async () => {
  const output: string[] = []
  const ended: unknown[] = []
  terminal = await startTerminal({
    mode: 'training',
    profileFile: () => at('../../stores/training.yaml'),
    dataFolder: folder,
    lane: '01',
    listen: { kind: 'port', port: 0 },
    backendMain: at('../../backend/main.ts'),
    centralMain: at('../central/main.ts'),
    staticFolder: folder,
    launch: launchNode,
    secrets: {},
    log: (line) => output.push(line),
    // Makes the delay after a crash longer than the test's timeout, so that only an immediate restart passes.
    backoffMs: () => 3_600_000,
  })
  void terminal.failed.then((failure) => ended.push(failure))
  if (!('url' in terminal.backend)) throw new Error('listens on a socket')
  const { url, launchUrl } = terminal.backend
  const before = terminal.pids().backend
  const window = await openWindow(url, launchUrl)
  await window.signIn()

  await window.post('/api/backups')
  const backup = (await window.idle()).backups.find(({ kind }) => kind === 'hand')
  await window.post(`/api/backups/${backup?.name}/preview`)
  const { preview } = await window.idle()
  const covers = preview?.covers ?? ''
  await window.post('/api/backups/restore', { covers, approval: { ...MANAGER, covers } })

  await expect.poll(() => terminal?.pids().backend, { timeout: 60_000 }).not.toBe(before)
  await expect.poll(() => window.signIn().then(() => 'signed in', String), { timeout: 60_000 }).toBe('signed in')
  expect(await window.list()).toMatchObject({ epoch: 2, restored: { outcome: 'restored', backup: backup?.name } })
  expect(output).toContain('The backend restarts.')
  expect(ended).toEqual([])
})
