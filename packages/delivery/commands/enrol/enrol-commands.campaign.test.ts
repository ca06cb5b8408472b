import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../../store-server/db/postgres.ts'
import { createLog } from '../../../store-server/log.ts'
import { usePostgres } from '../../../store-server/testing/postgres.ts'
import { makeChain } from './testing.ts'

const cluster = usePostgres({ fsync: false })
const SERVICE = ['--service', 'https://store.example:8443']

test('the enrol CLI command creates the codes of a store, and its enrolment sheets in both languages', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  const made = await chain.enrol('new', ...SERVICE, '--secrets', path.join(chain.folder, 'secrets.csv'), '--pins')
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('3 codes for 1 store,') })
  const [english, french] = [chain.sheet(), chain.sheet('4417.fr-CA.html')]
  expect(english.codes).toHaveLength(3)
  expect(french.codes).toEqual(english.codes)
  expect(english.html).toContain('Lane 03')
  expect(french.html).toContain('Caisse 03')
  expect(english.html).not.toContain('of-the-store')
  const pins = chain.sheet('4417-pins.fr-CA.html').html
  expect(pins.match(/class="code">\d{6}</g)).toHaveLength(2)
  expect(statSync(path.join(chain.folder, 'sheets', '4417-pins.fr-CA.html')).mode & 0o077).toBe(0)
  const listed = await chain.enrol('list')
  expect(listed.stdout).toMatch(/^(4417\/0[123] {2}[0-9A-Z]{5} {2}waits .*\n){3}$/)
  expect(await chain.enrol('revoke', '4417/02')).toMatchObject({ stdout: '1 code revoked.\n' })
  const again = await chain.enrol('reissue', '4417/02', ...SERVICE, '--pins')
  expect(again.stdout).toContain('1 code for 1 store,')
  // The lane's sheet of PINs must differ from the store's own, because these PINs are valid only at one lane.
  expect(chain.sheet('4417-02-pins.en-CA.html').html).toMatch(/<h1>One-time PINs of 4417 .*, Lane 02<\/h1>/)
  expect(chain.sheet('4417-02.en-CA.html').codes).toHaveLength(1)
  await chain.enrol('new', ...SERVICE)
  expect(readdirSync(path.join(chain.folder, 'sheets'))).toEqual(['4417.en-CA.html', '4417.fr-CA.html'])
})

test('the enrol CLI command creates no codes for invalid options, and reports the reason', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  for (const [args, why] of [
    [['new', '--service', 'http://store.example'], 'an address such as'],
    [['reissue', '9999', ...SERVICE], 'There is no 9999'],
    [['revoke'], 'STORE or STORE/LANE'],
  ] as const)
    expect(await chain.enrol(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) })
  expect((await chain.enrol('list')).stdout).toContain('No codes yet')
})

test('the enrol CLI command creates no codes while the server has a store.db that it has not imported yet', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  writeFileSync(path.join(chain.data, 'store.db'), '')
  expect(await chain.enrol('new', ...SERVICE)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Start the server of that folder first'),
  })
  rmSync(path.join(chain.data, 'store.db'))
  expect(await chain.enrol('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('No codes yet') })
})

test('enrolment sheets of several stores are written to one print file, in which each store begins a page', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  const stores = path.dirname(chain.profile)
  const other = readFileSync(chain.profile, 'utf8').replaceAll('"4417"', '"5001"')
  writeFileSync(path.join(stores, '5001.yaml'), other.replace('default: fr-CA', 'default: en-CA'))
  const out = path.join(chain.folder, 'sheets')
  const before = Date.now()
  const made = await chain.enrol('new', ...SERVICE, '--pins', '--hours', '2160')
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('_print-all.html') })
  const all = chain.sheet('_print-all.html')
  expect(all.codes).toEqual([...chain.sheet('4417.fr-CA.html').codes, ...chain.sheet('5001.en-CA.html').codes])
  expect(all.html.match(/<section class="sheet" lang="(fr|en)-CA">/g)).toHaveLength(2)
  expect(all.html.match(/<section class="sheet" lang="fr-CA"><h1>Inscription/g)).toHaveLength(1)
  expect(all.html).toContain('.sheet { break-before: page; }')
  expect(chain.sheet('_print-all-pins.html').html.match(/class="code">\d{6}</g)).toHaveLength(4)
  expect(statSync(path.join(out, '_print-all-pins.html')).mode & 0o077).toBe(0)
  const until = /valid until (\S+?)\.\n/.exec(made.stdout)?.[1] ?? ''
  expect(Math.round((Date.parse(until) - before) / 3_600_000)).toBe(2160)
  const again = await chain.enrol('reissue', '5001/02', ...SERVICE)
  expect(again.stdout).toContain('_print-all.html')
  expect(await chain.enrol('new', ...SERVICE, '--hours', '2161')).toMatchObject({ code: 2 })
})

test('the enrol CLI command lists broken profiles and rows of secrets, and creates codes for the other stores', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  const stores = path.dirname(chain.profile)
  const good = readFileSync(chain.profile, 'utf8')
  const add = (id: string, text: string): void => writeFileSync(path.join(stores, `${id}.yaml`), text)
  const ofStore = (id: string): string => good.replaceAll('"4417"', JSON.stringify(id))
  expect(ofStore('5001')).not.toBe(good)
  add('5001', ofStore('5001'))
  add('5002', ofStore('5002').replace('\nendpoints:', '\nendpoint:'))
  add('5003', 'store: [')
  for (const id of ['5004', '5005', '5006']) add(id, ofStore(id))
  add('5007', ofStore('5006'))
  const secrets = path.join(chain.folder, 'secrets.csv')
  writeFileSync(
    secrets,
    [
      'store,lane,secret',
      '4417,,of-the-store',
      '5001,,one',
      '5004,09,of-no-lane',
      '5005,01,',
      '9999,,of-no-store',
      '5001,,two',
      '4417,02,of-lane-2',
    ].join('\n'),
  )
  const made = await chain.enrol('new', ...SERVICE, '--secrets', secrets)
  expect(made.code).toBe(1)
  for (const named of ['5002.yaml:', '5003.yaml:', '5006.yaml:', '5007.yaml:', 'csv:4:', 'csv:5:', 'csv:6:', 'csv:7:'])
    expect(made.stderr).toContain(named)
  expect(made.stderr).toContain('reissue STORE')
  expect(made.stdout).toContain('3 codes for 1 store,')
  expect(chain.sheet().codes).toHaveLength(3)
  writeFileSync(secrets, 'store,lane,secret\n5001,,one\n5004,,four\n')
  expect(await chain.enrol('reissue', '5001', ...SERVICE, '--secrets', secrets)).toMatchObject({ code: 0, stderr: '' })
  expect(chain.sheet('5001.en-CA.html').codes).toHaveLength(3)
  expect((await chain.enrol('list')).stdout.match(/waits/g)).toHaveLength(6)
  const none = await chain.enrol('reissue', '5002', ...SERVICE)
  expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/5002\.yaml:[^]*There is no 5002/) })
})

test('the enrol CLI command creates no codes from a table of secrets with an unclosed quote', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  const secrets = path.join(chain.folder, 'secrets.csv')
  writeFileSync(secrets, 'store,lane,secret\n4417,,of-the-store\n4417,02,"of-lane-2\n4417,03,of-lane-3\n')
  const made = await chain.enrol('new', ...SERVICE, '--secrets', secrets)
  expect(made).toMatchObject({ code: 2, stderr: expect.stringContaining('csv:3:') })
  expect((await chain.enrol('list')).stdout).toContain('No codes yet')
})

test('the enrol CLI command prints its messages in French for a French installer', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  const french = (...args: readonly string[]) => chain.enrol(...args, '--language', 'fr-CA')
  const [made, listed, refused] = [
    await french('new', ...SERVICE),
    await french('list'),
    await french('reissue', '9999', ...SERVICE),
  ]
  expect(made.stdout).toContain('3 codes pour 1 magasin, valables jusqu’au ')
  expect(made.stdout).toContain('Aucun secret du client pour 4417/01, 4417/02, 4417/03 : ')
  expect(listed.stdout).toMatch(/^(4417\/0[123] {2}[0-9A-Z]{5} {2}en attente .*\n){3}$/)
  expect(refused.stderr).toMatch(/^9999\/\* n’existe pas dans /)
  expect((await french('revoke', '4417/02')).stdout).toBe('1 code révoqué.\n')
  expect((await french('list', '--colour')).stderr).toContain('--colour')
  expect(await chain.enrol('list', '--language', 'de')).toMatchObject({
    code: 2,
    stderr: '--language must be en-CA or fr-CA, not de.\n',
  })
})

test('the enrol CLI command creates codes for training lanes only with --store-server', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  const training = readFileSync(path.join(import.meta.dirname, '../../../../stores/training.yaml'))
  writeFileSync(chain.profile, training)
  const catalog = path.join(import.meta.dirname, '../../../../stores/training-catalog.csv')
  copyFileSync(catalog, path.join(path.dirname(chain.profile), 'training-catalog.csv'))
  expect(await chain.enrol('new', ...SERVICE)).toMatchObject({ code: 2, stderr: expect.stringContaining('training') })
  const made = await chain.enrol('new', ...SERVICE, '--pins', '--store-server', 'https://store.example:8443')
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('1 code for 1 store,') })
  expect(made.stdout, 'training has no client secret').not.toContain('secret')
  expect(chain.sheet('TRAIN-001.en-CA.html').codes).toHaveLength(1)
  expect(readdirSync(path.join(chain.folder, 'sheets')), 'and its PINs').toHaveLength(2)
})

test('a lane that was active seconds ago gets a new code only if the installer adds --running', async ({ skip }) => {
  const chain = await makeChain(await cluster.database(skip))
  await chain.enrol('new', ...SERVICE)
  const postgres = openPostgres({ url: chain.database, log: createLog('silent') })
  onTestFinished(() => postgres.close())
  await postgres.query(
    "INSERT INTO lane (store, lane, version, health, seen_at) VALUES ('4417', '02', '1', '{}', now())",
  )
  const reissue = (...args: readonly string[]) => chain.enrol('reissue', ...args, ...SERVICE)
  expect(await reissue('4417/02')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^Lane 4417\/02 was active \d+ s ago\. Stop it first/),
  })
  expect(await reissue('4417'), 'nor do all lanes of its store').toMatchObject({ code: 2 })
  expect(await reissue('4417/03')).toMatchObject({ code: 0 })
  expect(await reissue('4417/02', '--running')).toMatchObject({ code: 0 })
})

test('the enrol CLI command names an unreachable PostgreSQL without its password, in both languages', async ({
  skip,
}) => {
  const chain = await makeChain(await cluster.database(skip))
  expect(await chain.enrol('list', '--database', 'postgres://somebody:secret@127.0.0.1:1/store')).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'The database cannot be reached at 127.0.0.1:1/store (ECONNREFUSED). Start PostgreSQL there, or correct ' +
      'the address.\n',
  })
  const french = ['--language', 'fr']
  expect(await chain.enrol('list', '--database', 'postgres://somebody:secret@127.0.0.1:1/store', ...french)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'La base de données est injoignable à 127.0.0.1:1/store (ECONNREFUSED). Démarrez-y PostgreSQL, ou corrigez ' +
      'l’adresse.\n',
  })
})
