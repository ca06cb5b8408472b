import { mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listOf, newSigner } from '../testing/bundle-content.ts'
import { serveFolder } from '../testing/release-folder.ts'
import { sendReports } from './send-reports.ts'
import { openSlots } from './slots.ts'

const LANE = { store: '4417', lane: '01' }

async function open() {
  const root = mkdtempSync(path.join(tmpdir(), 'milepost-reports-'))
  mkdirSync(path.join(root, 'slots'))
  const trust = listOf(1, [newSigner()])
  const slots = openSlots({ root, platform: 'linux-x64-browser', trust: () => trust, now: () => new Date() })
  slots.failed('1.1.0', 'damaged')
  const server = await serveFolder(root)
  onTestFinished(async () => {
    await server.close()
    rmSync(root, { recursive: true, force: true })
  })
  return { slots, server }
}

const page = (response: ServerResponse): unknown => response.writeHead(200).end('Welcome to our network')

test.each([
  ['a server that answers with a page', (_: string, response: ServerResponse) => Boolean(page(response))],
  [
    'a server that redirects to a page',
    (place: string, response: ServerResponse) =>
      Boolean(place === 'reports' ? response.writeHead(302, { location: '/page' }).end() : page(response)),
  ],
])('an update report that reaches %s stays stored, until the wave controller accepts it', async (_, instead) => {
  const { slots, server } = await open()
  server.instead = instead
  expect(await sendReports(slots, { base: server.base }, LANE)).toBe(false)
  expect(slots.state().outcomes).toMatchObject([{ version: '1.1.0', outcome: 'failed' }])
  server.instead = () => false
  expect(await sendReports(slots, { base: server.base }, LANE)).toBe(true)
  expect(server.reports).toMatchObject([{ ...LANE, version: '1.1.0' }])
  expect(slots.state().outcomes).toEqual([])
})
