import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openKeyring } from '../commands/keyring.ts'
import { plantSecrets, secretFinder } from '../../../scripts/testing/planted-secrets.ts'
import { hashOfFile } from './member.ts'
import { PLATFORMS, runsHere } from './program-files.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const work = mkdtempSync(path.join(tmpdir(), 'milepost-packages-'))
const at = (...segments: string[]): string => path.join(work, ...segments)
const here = runsHere(PLATFORMS['linux-x64-browser'])
if (!here) console.log('skipped: packages are started on Linux (x64) alone')

const FRENCH = '1005'
const STORES = ['1001', '1002', '1003', '1004', '1005']

interface Ended {
  readonly code: number | null
  readonly output: string
}
function begin(...args: string[]) {
  const child = spawn(
    process.execPath,
    [path.join(root, 'packages/delivery/packaging/package.ts'), ...args, '--keys', at('keys')],
    {
      cwd: work,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...planted.env },
    },
  )
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([output, errorOutput, [code]]): Ended => ({ code: code as number | null, output: output + errorOutput }),
  )
  return { child, ended }
}
const make = (out: string, ...args: string[]): Promise<Ended> =>
  begin('--stores', 'stores', '--platform', 'linux-browser', '--out', at(out), ...args).ended
const packagesIn = (out: string): string[] =>
  readdirSync(at(out))
    .filter((name) => name.endsWith('.tar.gz'))
    .toSorted()
const sumsOf = (out: string): string => readFileSync(at(out, 'SHA256SUMS'), 'utf8')

const SECRETS = plantSecrets(10_000, 'packages')
const planted = {
  env: Object.fromEntries(
    SECRETS.slice(0, 500).map(({ value }, index): [string, string] => [`MILEPOST_PLANTED_${index}`, value]),
  ),
  files: ['stores/.env', 'stores/secrets.csv', 'stores/1001.yaml.bak', 'stores/data/client.secret', 'keys/old.pem'],
}
function plant(): void {
  for (const [index, name] of planted.files.entries()) {
    mkdirSync(path.dirname(at(name)), { recursive: true })
    const own = SECRETS.filter((_, number) => number % planted.files.length === index)
    writeFileSync(at(name), own.map(({ kind, value }) => `${kind},${value}`).join('\n'))
  }
}

async function filesOf(archive: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  const tar = createReadStream(archive).pipe(createGunzip()).pipe(extract())
  for await (const entry of tar) {
    const bytes = await buffer(entry)
    if (!entry.header.name.endsWith('/bin/node')) files.set(entry.header.name, bytes)
  }
  return files
}

describe.runIf(here)('packages of many stores', () => {
  let first: Ended
  beforeAll(async () => {
    mkdirSync(at('stores'))
    const profile = readFileSync(path.join(root, 'stores', 'training.yaml'), 'utf8')
    copyFileSync(path.join(root, 'stores', 'training-catalog.csv'), at('stores', 'training-catalog.csv'))
    for (const id of [...STORES, '1006']) {
      const inEnglish = profile.replace('TRAIN-001', `"${id}"`)
      const own = id === FRENCH ? inEnglish.replace('default: en-CA', 'default: fr-CA') : inEnglish
      writeFileSync(at('stores', `${id}.yaml`), id === '1006' ? own.replace(/^region: .*$/m, 'region: XX') : own)
    }
    openKeyring(at('keys'), root, null).add('test')
    plant()
    first = await make('first')
  })
  afterAll(() => {
    rmSync(work, { recursive: true, force: true })
  })

  test('are created for every valid store, and a broken store is reported with its position', () => {
    expect(first.output).toContain('region: expected one of')
    expect(first.output).toMatch(/stores\/1006\.yaml:\d+:\d+ {2}region/)
    expect(first.output).toContain('5 packages in')
    expect(first.code).toBe(1)
    expect(packagesIn('first')).toEqual(STORES.map((id) => `${id}-linux-x64-browser.tar.gz`))
    const report = readFileSync(at('first', 'report.csv'), 'utf8')
    expect(report).toMatch(/^1006,{9}"\/.*1006\.yaml:\d+:\d+ {2}region/m)
    expect(readFileSync(at('first', 'report.html'), 'utf8')).toContain('Stores without a package')
  })

  test('that an interrupted run did not complete are created by a run with --resume, with the same bytes', async () => {
    mkdirSync(at('second'))
    const { child, ended } = begin(
      '--stores',
      'stores',
      '--platform',
      'linux-browser',
      '--out',
      at('second'),
      '--jobs',
      '1',
    )
    const watcher = watch(at('second'), () => {
      if (packagesIn('second').length > 0) child.kill('SIGKILL')
    })
    await ended
    watcher.close()
    const [cut = ''] = packagesIn('second')
    truncateSync(at('second', cut), 1_000_000)
    writeFileSync(at('second', `${cut}.1.new`), 'what the killed run had begun')
    const sums = sumsOf('first')
    const whole: string[] = []
    for (const name of packagesIn('second')) if (sums.includes(await hashOfFile(at('second', name)))) whole.push(name)
    expect(whole).not.toContain(cut)
    const resumed = await make('second', '--resume')
    expect(resumed.output).toContain(whole.length === 0 ? '5 packages in' : `, ${whole.length} reused;`)
    expect(sumsOf('second')).toBe(sums)
    expect(readdirSync(at('second'))).toEqual(readdirSync(at('first')))
  })

  test('can be listed by GNU tar and verified by sha256sum', () => {
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: at('first') })
    const [name = ''] = packagesIn('first')
    const listed = execFileSync('tar', ['tzf', at('first', name)], { encoding: 'utf8' }).split('\n')
    expect(listed).toEqual(
      expect.arrayContaining(
        ['milepost', 'package.signed', 'store/store.bundle', 'slots/a/bin/node', 'slots/a/sbom.cdx.json'].map(
          (file) => `milepost/${file}`,
        ),
      ),
    )
  })

  test('can be installed by their own script, start, sell and stop; a modified package is reported', async () => {
    const verified = await begin('--verify', at('first'), '--sample', '1').ended
    expect(verified.output).toMatch(/started as lane 01 of store 1005; sold .+ in cash/)
    expect(verified).toMatchObject({
      code: 0,
      output: expect.stringContaining('5 packages read, 1 started; 0 with'),
    })

    const [name = ''] = packagesIn('first')
    execFileSync('tar', ['xzf', at('first', name), '-C', work])
    const installed = at('opt', 'milepost')
    const install = () =>
      execFileSync('sh', [at('milepost', 'install.sh'), installed], {
        env: { ...process.env, HOME: at('home') },
        stdio: 'pipe',
      })
    expect(String(install())).toContain(`  ${installed}/milepost set-secret --lane NN; `)
    expect(install).toThrow(/already exists/)
    expect(execFileSync(path.join(installed, 'milepost'), ['help'], { encoding: 'utf8' })).toContain('bundle put FILE')

    mkdirSync(at('third'))
    const bytes = readFileSync(at('first', name))
    bytes[bytes.length - 40] = (bytes.at(-40) ?? 0) ^ 1
    writeFileSync(at('third', name), bytes)
    copyFileSync(at('first', 'SHA256SUMS'), at('third', 'SHA256SUMS'))
    expect(await begin('--verify', at('third')).ended).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${name}: its SHA-256 differs from SHA256SUMS`),
    })
  })

  test('contain none of 10,000 planted secrets of the build machine (tested in one package and bundle)', async () => {
    const find = secretFinder(SECRETS)
    expect(find(readFileSync(at('stores/secrets.csv'))).length).toBeGreaterThan(1_000)
    const files = await filesOf(at('first', packagesIn('first')[0] ?? ''))
    expect([...files.keys()].map((name) => path.posix.basename(name))).toEqual(
      expect.arrayContaining(['store.bundle', 'package.signed', 'program.signed', 'main.js']),
    )
    for (const [name, bytes] of files) expect(find(bytes), name).toEqual([])
  })

  test('are not created for an impossible request, which is reported', async () => {
    const none = ['--out', at('none')]
    expect(await begin('--stores', at('nowhere'), ...none).ended).toMatchObject({
      code: 2,
      output: expect.stringContaining('there is no folder'),
    })
    expect(await begin('--stores', 'stores', '--platform', 'amiga', ...none).ended).toMatchObject({
      code: 2,
      output: expect.stringContaining('there is no “amiga”. There are: linux'),
    })
    expect(await begin('--stores', 'stores', '--platform', 'win', ...none).ended).toMatchObject({
      code: 2,
      output: expect.stringContaining('--electron-dist stand-in'),
    })
    expect(existsSync(at('none'))).toBe(false)
  })
})
