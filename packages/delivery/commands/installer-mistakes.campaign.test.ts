import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { packBundle } from '../bundle.ts'
import { listOf, newSigner, bundleContent } from '../testing/bundle-content.ts'
import { sealTrust } from '../trust.ts'

const LANE = fileURLToPath(new URL('./lane.ts', import.meta.url))
const STORES = fileURLToPath(new URL('../../../stores', import.meta.url))
const signer = newSigner()
const stranger = newSigner()
function bundleOf(change: (profile: string) => string = (profile) => profile, sequence = 1, by = signer): Buffer {
  const { manifest } = bundleContent({ store: { id: 'TRAIN-001', name: 'Training' }, lanes: ['01'], sequence })
  const files = ['training.yaml', 'training-catalog.csv'].map((name) => readFileSync(path.join(STORES, name), 'utf8'))
  const [profile = '', catalog = ''] = files
  return packBundle(
    {
      manifest,
      files: new Map([
        ['profile.yaml', Buffer.from(change(profile))],
        ['training-catalog.csv', Buffer.from(catalog)],
      ]),
    },
    by,
  )
}
let folder: string
let data: string
let bundle: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  data = path.join(folder, 'data')
  bundle = at('1.bundle')
  writeFileSync(bundle, bundleOf())
  for (const [name, of] of [
    ['right', signer],
    ['wrong', stranger],
  ] as const)
    writeFileSync(at(name), sealTrust(listOf(1, [of]), of))
})

const at = (name: string): string => path.join(folder, name)
const own = (): string => path.join(data, 'bundles', 'own.keys')

const lane = (...args: string[]) => runWithInput('', ...args)
function runWithInput(input: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, LANE, ...args], {
    encoding: 'utf8',
    input,
  })
  return { code: status, output: stdout + stderr }
}
const put = (...args: string[]) => lane('bundle', 'put', bundle, '--data', data, ...args)

test('a list of another installer’s keys is not stored, so that the correct list is accepted later', () => {
  expect(put('--trust', at('wrong'))).toMatchObject({
    code: 1,
    output: expect.stringContaining('does not trust the bundle’s key'),
  })
  expect(existsSync(own())).toBe(false)
  expect(put('--trust', at('right'))).toMatchObject({ code: 0 })
  expect(readFileSync(own())).toEqual(readFileSync(at('right')))
})

test('a read-only CLI command does not store a list of keys or create a folder', () => {
  expect(lane('bundle', 'list', '--data', data, '--trust', at('right'))).toMatchObject({ code: 0 })
  expect(existsSync(data)).toBe(false)
})

test('the lane CLI command reports a list of keys that does not belong to the lane', () => {
  expect(put('--trust', at('right')).code).toBe(0)
  expect(put('--trust', at('right')).code).toBe(0)
  expect(put('--trust', at('wrong'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('another list of keys'),
  })
  expect(put('--trust', at('none'), '--language', 'fr-CA')).toMatchObject({
    code: 2,
    output: expect.stringContaining('illisible'),
  })
})

test('the lane CLI command replaces a list of keys that a power cut left incomplete', () => {
  expect(put('--trust', at('right')).code).toBe(0)
  writeFileSync(own(), readFileSync(at('right')).subarray(0, 40))
  expect(put()).toMatchObject({ code: 2, output: expect.stringContaining('not a list of trusted keys') })
  expect(put('--trust', at('right')).code).toBe(0)
  expect(readFileSync(own())).toEqual(readFileSync(at('right')))
})

test('the lane CLI command exits with 0 for help, and with an error for an unknown language', () => {
  expect(lane('--help')).toMatchObject({ code: 0, output: expect.stringContaining('bundle put FILE') })
  expect(put('--language', 'xx')).toMatchObject({ code: 2, output: expect.stringContaining('en-CA or fr-CA') })
})

test('the lane CLI command reports an unusable data folder, and one whose identity file is damaged', () => {
  writeFileSync(data, 'a file')
  expect(put('--trust', at('right'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('has the name of the folder'),
  })
  rmSync(data)
  mkdirSync(data)
  writeFileSync(path.join(data, 'terminal.json'), '{')
  expect(put('--trust', at('right'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('it identifies the lane'),
  })
  expect(readdirSync(data)).toEqual(['terminal.json'])
  rmSync(path.join(data, 'terminal.json'))
  expect(put('--trust', folder)).toMatchObject({ code: 2, output: expect.stringContaining('cannot be read') })
})

test('the lane CLI command reports the mistakes in the profile of a bundle, and changes nothing', () => {
  expect(put('--trust', at('right')).code).toBe(0)
  const before = readdirSync(path.join(data, 'bundles'))
  const wrong = (profile: string): string => profile.replace('\nreceipt:', '\nlimist: {}\nreceipt:')
  writeFileSync(bundle, bundleOf(wrong, 2))
  expect(put()).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^profile\.yaml:\d+:1  limist: this setting does not exist/m),
  })
  expect(put('--language', 'fr')).toMatchObject({ code: 1, output: expect.stringContaining('Rien n’a été modifié') })
  writeFileSync(
    bundle,
    bundleOf((profile) => profile.replace('\nreceipt:', '\nreceipt:\n  logo: { file: logo.png }'), 3),
  )
  expect(put()).toMatchObject({
    code: 1,
    output: expect.stringContaining('receipt.logo.file: logo.png is not a picture'),
  })
  expect(readdirSync(path.join(data, 'bundles'))).toEqual(before)
  expect(lane('bundle', 'list', '--data', data).output).toMatch(/^waiting: bundle 1 /)
})

test('the lane CLI command reports mistyped options in the requested language', () => {
  expect(put('--frob')).toMatchObject({ code: 2, output: expect.stringContaining('The option --frob does not exist.') })
  expect(put('--language', 'fr', '--trust')).toMatchObject({
    code: 2,
    output: expect.stringContaining('--trust exige une valeur'),
  })
  expect(put('one-too-many')).toMatchObject({ code: 2, output: expect.stringContaining('bundle put FILE') })
})

test('the option --trust of bundle put also accepts a folder of trusted-key lists, with keys new to the lane', () => {
  expect(put('--trust', at('right')).code).toBe(0)
  const next = newSigner()
  mkdirSync(at('trust'))
  writeFileSync(at('trust/000001.keys'), readFileSync(at('right')))
  writeFileSync(at('trust/000002.keys'), sealTrust(listOf(2, [signer, next]), signer))
  writeFileSync(bundle, bundleOf(undefined, 2, next))
  expect(put()).toMatchObject({ code: 1, output: expect.stringContaining('--trust FOLDER/trust') })
  expect(put('--trust', at('trust'))).toMatchObject({ code: 0, output: expect.stringContaining('newer list of keys') })
  expect(put('--trust', at('trust'))).toMatchObject({
    code: 0,
    output: expect.stringContaining('already on this lane'),
  })
})

test('the autostart and enrol CLI commands report an unknown option, also in French', () => {
  for (const command of ['autostart', 'enrol'])
    expect(lane(command, '--dta', data, '--language=fr-CA')).toMatchObject({
      code: 2,
      output: expect.stringContaining('--dta'),
    })
  expect(lane('enrol', '--dta', data, '--language=fr-CA').output).not.toContain('Unknown option')
})

test('the enrol CLI command asks for the code on the enrolment sheet, and names missing options', () => {
  const [profile, code] = [path.join(STORES, 'example.yaml'), 'WG6QB-5YH6B-3AS1A-N8R7P\n']
  const enrol = ['enrol', '--data', data, '--profile', profile]
  expect(runWithInput(code, ...enrol)).toMatchObject({
    code: 2,
    output: expect.stringContaining('--service ADDRESS is missing'),
  })
  const french = runWithInput(code, ...enrol, '-', '--language=fr').output
  expect(french).toContain('balayez le code QR : ')
  expect(french).toContain('Il manque --service ADRESSE')
})

test('a pipe in place of the lane’s identity file does not block a CLI command', () => {
  mkdirSync(data)
  spawnSync('mkfifo', [path.join(data, 'terminal.json')])
  expect(put('--trust', at('right'))).toMatchObject({
    code: 2,
    output: expect.stringContaining('it identifies the lane'),
  })
})
