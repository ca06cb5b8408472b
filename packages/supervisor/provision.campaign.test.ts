import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder } from './folder-lock.ts'
import { readSecrets } from './key-store.ts'
import { readProfileOutline } from './profile-outline.ts'
import { type ProvisionOptions, provision } from './provision.ts'
import type { ProcessRequest } from './service.ts'
import type { ProvisionTask } from './shell/shell-options.ts'
import { keyStoreOf } from './testing/key-store-stand-in.ts'
import { forkLikeElectron } from './testing/utility-stand-in.ts'
import { adaptUtility } from './shell/utility-streams.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const example = path.join(root, 'stores', 'example.yaml')
const outlineOf = (file: string): NonNullable<ReturnType<typeof readProfileOutline>> => {
  const outline = readProfileOutline(file)
  if (outline === null) throw new Error(`${file} cannot be read`)
  return outline
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-provision-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function run(
  task: ProvisionTask,
  typed: string,
  more: Partial<ProvisionOptions> = {},
): Promise<{ code: number; output: string; errorOutput: string; started: ProcessRequest[] }> {
  const started: ProcessRequest[] = []
  const output: string[] = []
  const errorOutput: string[] = []
  const code = await provision(task, {
    outline: outlineOf(example),
    profileFile: () => example,
    lane: '01',
    dataFolder: folder,
    keyStore: keyStoreOf('lane'),
    platform: 'linux',
    provisionMain: path.join(root, 'backend', 'operations', 'provision.ts'),
    supportMain: path.join(root, 'backend', 'operations', 'support', 'support-file.ts'),
    doctorMain: path.join(root, 'backend', 'operations', 'restore', 'doctor.ts'),
    profileArgs: ['--profile', example],
    launch: (request) => {
      started.push(request)
      return adaptUtility(forkLikeElectron(request))
    },
    input: Readable.from(typed === '' ? [] : [Buffer.from(typed)]),
    environment: {},
    log: (line) => output.push(line),
    complain: (line) => errorOutput.push(line),
    ...more,
  })
  return { code, output: output.join('\n'), errorOutput: errorOutput.join('\n'), started }
}
const pinOf = (staffId: string): ProvisionTask => ({ kind: 'pin', staffId })
const onDisk = (): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe('an installer’s CLI command on a lane that has only the package', () => {
  it('sets a PIN, and later another one, while only the key store has the lane’s key', async () => {
    const first = await run(pinOf('lise'), '24680135\n')
    expect(first).toMatchObject({ code: 0, output: 'PIN of lise set.', errorOutput: '' })
    expect(first.started.map(({ args }) => args.join(' ')).join()).not.toContain('24680135')
    expect(onDisk()).not.toContain('24680135')
    expect(existsSync(path.join(folder, 'terminal.db'))).toBe(true)
    expect(await run(pinOf('omar'), '80417\r\n')).toMatchObject({ code: 0, output: 'PIN of omar set.' })
    expect(existsSync(path.join(folder, 'seal.key'))).toBe(false)
  })

  it('saves the support file of a lane whose key is in the key store, while the data folder is in use', async () => {
    await run(pinOf('lise'), '24680135\n')
    await run({ kind: 'secret' }, 'top-secret-7\n')
    const out = path.join(folder, 'support.json.gz')
    const lock = await lockFolder(folder)
    try {
      expect(await run({ kind: 'support', file: out }, '')).toMatchObject({
        code: 0,
        output: `Saved: ${out}. Send it to support.`,
      })
    } finally {
      if ('release' in lock) await lock.release()
    }
    expect(gunzipSync(readFileSync(out)).toString()).toContain('"platform": "linux"')
    // Another user’s key store opens nothing. No support file is written, because it cannot be searched for the
    // secrets.
    const foreign = await run({ kind: 'support', file: `${out}.2` }, '', { keyStore: keyStoreOf('another') })
    expect(foreign.code).toBe(2)
    expect(existsSync(`${out}.2`)).toBe(false)
  })

  it('checks a lane with the secrets of its key store while its terminal runs, without writing anything', async () => {
    await run(pinOf('lise'), '24680135\n')
    await run({ kind: 'secret' }, 'top-secret-7\n')
    const before = onDisk()
    const lock = await lockFolder(folder)
    const own = await run({ kind: 'doctor' }, '')
    expect(own.output).toMatch(/OK +Sealing key +The key is in the system’s key store\./)
    expect(own.output).toMatch(/OK +Client secret +A client secret is in the system’s key store\./)
    expect(own.code).toBe(2)
    const foreign = await run({ kind: 'doctor' }, '', { keyStore: keyStoreOf('another') })
    expect(foreign.output).toContain('This user’s key store cannot open the key.')
    expect(own.output + own.errorOutput + foreign.output + foreign.errorOutput).not.toContain('top-secret-7')
    expect(onDisk()).toBe(before)
    if ('release' in lock) await lock.release()
  })

  it('ends a lane check that gets no answer from the disk, and reports this', async () => {
    // Opening a pipe blocks until there is a writer, as reading from a hanging disk does.
    execFileSync('mkfifo', ['--mode=600', path.join(folder, 'seal.key')])
    const hung = await run({ kind: 'doctor' }, '', { checkEndsMs: 3_000 })
    expect(hung).toMatchObject({ code: 2, errorOutput: expect.stringContaining(`disk under ${folder}`) })
  })

  it('reads the value from the environment if there is no standard input', async () => {
    expect(await run(pinOf('lise'), '', { environment: { MILEPOST_PROVISION_VALUE: '4071' } })).toMatchObject({
      code: 0,
      output: 'PIN of lise set.',
    })
  })

  it('stores the client secret in the key store', async () => {
    expect(await run({ kind: 'secret' }, 'top-secret-7\n')).toMatchObject({
      code: 0,
      output: 'The client secret is stored in the key store.',
      started: [],
    })
    expect((await readSecrets(keyStoreOf('lane'), folder))['MILEPOST_CLIENT_SECRET']).toBe('top-secret-7')
    expect(onDisk()).not.toContain('top-secret-7')
  })

  it('prints the backend’s error and exits with the backend’s exit code', async () => {
    expect(await run(pinOf('lise'), '12ab\n')).toMatchObject({
      code: 2,
      output: '',
      errorOutput: 'A PIN has four to eight digits. Nothing was changed.',
    })
    expect(await run(pinOf('nobody'), '4071\n')).toMatchObject({
      code: 2,
      errorOutput: 'No nobody under staff in the profile; it has lise, omar.',
    })
    // Without a person on the command line, the next argument is taken as the person.
    expect(await run(pinOf('--data'), '4071\n')).toMatchObject({
      code: 2,
      errorOutput: 'No --data under staff in the profile; it has lise, omar.',
    })
  })

  it('is refused before any process starts if it has no value, an unknown lane or an unusable key store', async () => {
    expect(await run(pinOf('lise'), '')).toMatchObject({
      code: 2,
      started: [],
      errorOutput: expect.stringContaining('There was no value'),
    })
    expect(await run({ kind: 'secret' }, '\n')).toMatchObject({
      code: 2,
      errorOutput: expect.stringContaining('There was no value'),
    })
    expect(await run(pinOf('lise'), '4071\n', { lane: '09' })).toMatchObject({
      code: 2,
      started: [],
      errorOutput: 'The profile has no lane 09; it has 01. Nothing was changed.',
    })
    expect(await run(pinOf('lise'), '4071\n', { keyStore: keyStoreOf('lane', 'basic_text') })).toMatchObject({
      code: 2,
      started: [],
      errorOutput: expect.stringContaining('plain text'),
    })
    expect(await run({ kind: 'secret' }, 'x\n', { keyStore: keyStoreOf('lane', 'basic_text') })).toMatchObject({
      code: 2,
      errorOutput: expect.stringContaining('plain text'),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused while the lane’s terminal runs, and with another user’s key store', async () => {
    const lock = await lockFolder(folder)
    if ('heldBy' in lock) throw new Error('a new folder is held')
    expect(await run(pinOf('lise'), '4071\n')).toMatchObject({
      code: 3,
      started: [],
      errorOutput: expect.stringContaining(`process ${process.pid}`),
    })
    await lock.release()
    await readSecrets(keyStoreOf('lane'), folder)
    expect(await run(pinOf('lise'), '4071\n', { keyStore: keyStoreOf('stranger') })).toMatchObject({
      code: 2,
      started: [],
      errorOutput: expect.stringContaining('cannot open'),
    })
  })

  it('needs no key store in training mode: the data folder has the key, as at every start', async () => {
    const training = path.join(folder, 'training.yaml')
    writeFileSync(training, readFileSync(path.join(root, 'stores', 'training.yaml')))
    expect(
      await run(pinOf('alex'), '4071\n', {
        outline: outlineOf(training),
        profileFile: () => training,
        dataFolder: path.join(folder, 'data'),
        keyStore: keyStoreOf('lane', 'basic_text'),
      }),
    ).toMatchObject({ code: 0, output: 'PIN of alex set.' })
    expect(readdirSync(path.join(folder, 'data'))).toContain('seal.key')
  })
})
