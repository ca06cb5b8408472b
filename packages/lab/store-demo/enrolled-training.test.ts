import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { formatTicket } from '../../../contracts/operations/enrolment-code.ts'
import { listCodes } from '../../store-server/enrolment/enrolment.sql.ts'
import { usePostgres } from '../../store-server/testing/postgres.ts'
import { startEnrolmentServer } from '../../store-server/testing/enrolment-server.ts'
import { laneIds, writeProfile } from './profile.ts'

const cluster = usePostgres({ fsync: false })
const INSTALLER = fileURLToPath(new URL('../../../backend/operations/provision.ts', import.meta.url))

test('enrolment by code leaves a training lane without a central services secret and without first PINs', async ({
  skip,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-demo-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [profile, data] = [path.join(folder, 'store.yaml'), path.join(folder, 'lane')]
  writeProfile(profile, laneIds(2))
  const postgres = await cluster.open(skip)
  const server = await startEnrolmentServer(postgres)
  const storeServer = { url: server.url, ca: null }
  const pins = [{ staff: 'alex', pin: '60917283' }]
  const [issued] = await server.issue({ store: 'TRAIN-001', lane: '02', storeServer, pins })
  if (!issued) throw new Error('no code')
  const ticket = formatTicket({ service: server.url, code: issued.code, certificate: server.fingerprint })
  const args = [INSTALLER, 'enrol', '--data', data, '--profile', profile, '--lane', '02']
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end(`${ticket}\n`)
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
  expect(child.exitCode).toBe(0)
  expect(output).toContain('Lane 02 of store TRAIN-001 enrolled')
  expect(output).toContain('no secret or PIN was stored')
  expect(existsSync(path.join(data, 'terminal.device'))).toBe(true)
  expect(existsSync(path.join(data, 'client.secret'))).toBe(false)
  expect((await listCodes(postgres))[0]).toMatchObject({ lane: '02', confirmedAt: expect.any(Number) })
})
