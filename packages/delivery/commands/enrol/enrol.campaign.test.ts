import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWindowAt, windowHeaders } from '../../../../contracts/core/window.ts'
import { z } from 'zod'
import { openPostgres } from '../../../store-server/db/postgres.ts'
import { decideCode, listCodes } from '../../../store-server/enrolment/enrolment.sql.ts'
import { createLog } from '../../../store-server/log.ts'
import { usePostgres } from '../../../store-server/testing/postgres.ts'
import { makeChain, run, start, startService, type Chain, type Started } from './testing.ts'

const cluster = usePostgres({ fsync: false })
const SERVICE = ['--service', 'https://store.example:8443']

const atLane = (chain: Chain, code: string, url: string, lane = '01', ...more: readonly string[]) =>
  run(
    'packages/delivery/commands/lane.ts',
    'enrol',
    code,
    `--service=${url}`,
    `--data=${path.join(chain.folder, `lane-${lane}`)}`,
    `--lane=${lane}`,
    `--profile=${chain.profile}`,
    ...more,
  )

test('enrolment gives a lane its secret and its PINs, and uses up the code', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  const { url } = await startService(chain)
  await chain.enrol('new', '--service', url, '--secrets', path.join(chain.folder, 'secrets.csv'), '--pins')
  const { codes, check } = chain.sheet()
  const [first = '', second = ''] = codes
  const wrong = await atLane(chain, first, url, '01', '--certificate', '0'.repeat(64))
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('This is not the server on the sheet') })
  expect((await atLane(chain, first, url)).stderr).toContain('Type the sheet’s server check')
  expect(await atLane(chain, second, url, '01', '--certificate', check, '--language', 'fr')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Le code est pour la caisse 02 du magasin 4417.'),
  })
  const done = await atLane(chain, first, url, '01', '--certificate', check)
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('2 people have a one-time PIN') })
  const secret = path.join(chain.folder, 'lane-01', 'client.secret')
  expect(readFileSync(secret, 'utf8')).toBe('of-the-store\n')
  expect(statSync(secret).mode & 0o077).toBe(0)
  expect(existsSync(path.join(chain.folder, 'lane-01', 'terminal.enrolment'))).toBe(false)
  expect((await atLane(chain, first, url, '01', '--certificate', check)).stderr).toContain('The code was used before')
  const ticket = `milepost-enrol:${url}?code=${second}&certificate=${check}`
  expect(await atLane(chain, ticket, url, '02')).toMatchObject({ code: 0 })
  expect(readFileSync(path.join(chain.folder, 'lane-02', 'client.secret'), 'utf8')).toBe('of-lane-2\n')
  expect((await chain.enrol('list')).stdout.match(/ enrolled /g)).toHaveLength(2)
})

const BackendReady = z.object({ url: z.url(), launchUrl: z.url() })

async function openLane(chain: Chain, env: NodeJS.ProcessEnv = {}) {
  const data = path.join(chain.folder, 'lane-01')
  const backend = await start('backend/main.ts', ['--data', data, '--profile', chain.profile], env)
  const { url, launchUrl } = BackendReady.parse(backend.ready)
  const headers = await windowHeaders(url, await openWindowAt(url, launchUrl))
  async function call(method: string, at: string, json?: object) {
    const response = await fetch(`${url}/api/${at}`, {
      method,
      headers: {
        ...headers,
        ...(json === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  return { data, call, backend }
}

const endOf = async ({ process: child, ended }: Started): Promise<number | null> => {
  child.kill('SIGTERM')
  return ended
}

test('a lane without data starts, is enrolled by its API, ends for a restart, and a person then signs in', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  const { url } = await startService(chain)
  await chain.enrol('new', '--service', url, '--secrets', path.join(chain.folder, 'secrets.csv'), '--pins')
  const { codes, check } = chain.sheet()
  const pin = /class="code">(\d{6})</.exec(chain.sheet('4417-pins.en-CA.html').html)?.[1]
  const first = await openLane(chain)
  expect((await first.call('GET', 'terminal')).body).toMatchObject({ toEnrol: true })
  const request = { code: codes[0], service: url, certificate: check }
  expect(await first.call('POST', 'enrolment', { ...request, code: codes[1] })).toMatchObject({
    status: 409,
    body: { code: 'enrolment-other-lane', details: [{ message: '4417' }, { message: '02' }] },
  })
  expect(await first.call('POST', 'enrolment', request)).toMatchObject({
    status: 200,
    body: { secret: true, people: 2, clockAheadMinutes: null, restarts: true },
  })
  expect(await first.backend.ended).toBe(10)
  const again = await openLane(chain)
  expect((await again.call('GET', 'terminal')).body).toMatchObject({ toEnrol: false })
  expect(await again.call('POST', 'enrolment', request)).toMatchObject({ body: { code: 'enrolment-not-now' } })
  const lise = { staffId: 'lise', pin }
  expect(await again.call('POST', 'sign-in', lise)).toMatchObject({ body: { code: 'pin-change-required' } })
  expect(await again.call('POST', 'sign-in', { ...lise, newPin: '739164' })).toMatchObject({ status: 200 })
  const trail = await again.call('GET', 'audit')
  expect(JSON.stringify(trail.body)).toContain('lane-enrolled')
  expect(await endOf(again.backend)).toBe(0)
})

test('a lane whose staff have PINs does not start without its secret', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  const { url } = await startService(chain)
  await chain.enrol('new', '--service', url, '--pins')
  const { codes, check } = chain.sheet()
  expect((await atLane(chain, codes[0] ?? '', url, '01', '--certificate', check)).stdout).toContain('set-secret')
  const refused = await run(
    'backend/main.ts',
    `--data=${path.join(chain.folder, 'lane-01')}`,
    `--profile=${chain.profile}`,
  )
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('No client secret on this lane') })
})

test('a lane killed between exchanging a code and storing the result repeats the exchange without loss', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  const { url } = await startService(chain)
  await chain.enrol('new', '--service', url, '--secrets', path.join(chain.folder, 'secrets.csv'), '--pins')
  const { codes, check } = chain.sheet()
  const request = { code: codes[0], service: url, certificate: check }
  const killed = await openLane(chain, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(KILL_AT_SECRET)}`,
  })
  await killed.call('POST', 'enrolment', request).catch(() => null)
  await killed.backend.ended
  expect(existsSync(path.join(killed.data, 'client.secret'))).toBe(false)
  expect((await chain.enrol('list')).stdout).toContain('exchanged, not confirmed')
  // Another person who has the enrolment sheet gets no secrets, because its code was used.
  expect((await atLane(chain, request.code ?? '', url, '03', '--certificate', check)).code).toBe(2)
  const again = await openLane(chain)
  expect((await again.call('GET', 'enrolment')).body).toMatchObject({
    offered: true,
    interrupted: request.code?.slice(0, 5),
  })
  expect(await again.call('POST', 'enrolment', request)).toMatchObject({
    status: 200,
    body: { secret: true, people: 2 },
  })
  await again.backend.ended
  expect(readFileSync(path.join(again.data, 'client.secret'), 'utf8')).toBe('of-the-store\n')
  expect((await chain.enrol('list')).stdout).toContain(' enrolled ')
  rmSync(again.data, { recursive: true })
  const thief = await openLane(chain)
  expect(await thief.call('POST', 'enrolment', request)).toMatchObject({ body: { code: 'enrolment-used' } })
})

const KILL_AT_SECRET = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const write = fs.writeFileSync
  fs.writeFileSync = (file, ...rest) => {
    if (String(file).includes('client.secret')) process.kill(process.pid, 'SIGKILL')
    return write(file, ...rest)
  }
  syncBuiltinESMExports()`

test('enrolment sheets that were printed stay valid if a later enrol CLI command fails', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  expect(await chain.enrol('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('No codes yet') })
  const first = await chain.enrol('new', ...SERVICE)
  expect(first.stdout).toContain('No client secret for 4417/01, 4417/02, 4417/03: ')
  expect(first.stdout).not.toContain('were revoked, with')
  const before = (await chain.enrol('list')).stdout
  const file = path.join(chain.folder, 'file')
  writeFileSync(file, '')
  for (const [args, why] of [
    [['reissue', '4417/01', ...SERVICE, '--out', file], `${file} is a file`],
    [['reissue', '4417/01', ...SERVICE, '--certificate', `${file}.crt`], `${file}.crt`],
    [['reissue', '4417/01', ...SERVICE, '--stores', `${file}s`], `The folder ${file}s does not exist`],
    [['revoke', '4471'], '4471 never had a code. Nothing was revoked'],
  ] as const)
    expect(await chain.enrol(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
  expect((await chain.enrol('list')).stdout).toBe(before)
  expect((await chain.enrol('new', ...SERVICE)).stdout).toContain('3 codes not used yet were revoked')
})

test('the enrol CLI command reports a mistyped database or store instead of an empty list', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  await chain.enrol('new', ...SERVICE)
  const elsewhere = chain.database.replace(/test_\d+/, 'servise')
  for (const command of [['list'], ['revoke', '4417'], ['reissue', '4417', ...SERVICE]])
    expect(await chain.enrol(...command, '--database', elsewhere)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('servise'),
    })
  expect(await chain.enrol('revoke', '4417/2')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('4417/2 never had a code'),
  })
  expect((await chain.enrol('list')).stdout.match(/ waits /g)).toHaveLength(3)
})

test('reissuing codes reports invalid enrolment sheets, enrolled lanes and remaining tokens of revoked lanes', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  const secrets = path.join(chain.folder, 'secrets.csv')
  await chain.enrol('new', ...SERVICE, '--secrets', secrets, '--pins')
  const postgres = openPostgres({ url: chain.database, log: createLog('silent') })
  onTestFinished(() => postgres.close())
  const [used] = await listCodes(postgres)
  if (used === undefined) throw new Error('no code')
  const { id, store, lane, tokenHash } = used
  const device = { tokenHash, store, lane, laneKey: 'k', codeId: id, since: 1, revokedAt: null }
  const exchanged = { sealed: null, exchangedAt: 1, laneKey: 'k', confirmedAt: 1 }
  await decideCode(postgres, id, 1, () => ({ change: { device, code: exchanged }, outcome: null }))
  const again = await chain.enrol('reissue', '4417/01', ...SERVICE, '--secrets', secrets)
  expect(again.stdout).toContain('Enrolled already: 4417/01.')
  expect(again.stdout).toContain('possibly obsolete: 4417-pins.en-CA.html, 4417-pins.fr-CA.html, 4417.en-CA.html')
  expect(again.stdout).toContain('contains all secrets in plain text: delete it')
  const revoked = await chain.enrol('revoke', '4417/01')
  expect(revoked.stdout).toMatch(/^1 code revoked\.\nUsed before: 4417\/01\. .*\n.* revoke 4417\/01 --tokens\n$/)
  const tokens = await chain.enrol('revoke', '4417/01', '--tokens')
  expect(tokens.stdout).toContain('0 codes revoked, and 1 lane token revoked.')
  expect((await chain.enrol('list')).stdout).toContain(`${id}  was enrolled, token revoked`)
  rmSync(path.join(chain.data, 'server.crt'))
  const bare = await chain.enrol('reissue', '4417/03', '--service', 'https://localhost:8443')
  expect(bare.stdout).toMatch(
    /is this computer[^]*the sheets have no server check[^]*npm run milepost -- store certificate/,
  )
  await postgres.query('ALTER TABLE enrolment_code ADD CONSTRAINT is_full CHECK (false) NOT VALID')
  expect(await chain.enrol('reissue', '4417/02', ...SERVICE)).toMatchObject({ code: 2 })
  expect(readdirSync(path.join(chain.folder, 'sheets')).filter((name) => name.includes('-02'))).toEqual([])
})
