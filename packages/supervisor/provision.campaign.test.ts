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
import type { ProvisionOrder } from './shell/shell-options.ts'
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

/** The real provisioning of the backend, started as Electron starts it; what was said is one text, to each side. */
async function run(
  order: ProvisionOrder,
  typed: string,
  more: Partial<ProvisionOptions> = {},
): Promise<{ code: number; said: string; complained: string; started: ProcessRequest[] }> {
  const started: ProcessRequest[] = []
  const said: string[] = []
  const complained: string[] = []
  const code = await provision(order, {
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
    log: (line) => said.push(line),
    complain: (line) => complained.push(line),
    ...more,
  })
  return { code, said: said.join('\n'), complained: complained.join('\n'), started }
}
const pinOf = (staffId: string): ProvisionOrder => ({ kind: 'pin', staffId })
/** Everything that lies in the data folder, as one text. */
const onDisk = (): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

describe('an installer at a lane that has only the package', () => {
  it('sets a PIN, and another one later, with the key of the key store and no other', async () => {
    const first = await run(pinOf('lise'), '24680135\n')
    expect(first).toMatchObject({ code: 0, said: 'PIN of lise set.', complained: '' })
    expect(first.started.map(({ args }) => args.join(' ')).join()).not.toContain('24680135')
    expect(onDisk()).not.toContain('24680135')
    // The database stands now: without the key of the key store the backend would refuse the folder.
    expect(existsSync(path.join(folder, 'terminal.db'))).toBe(true)
    expect(await run(pinOf('omar'), '80417\r\n')).toMatchObject({ code: 0, said: 'PIN of omar set.' })
    expect(existsSync(path.join(folder, 'seal.key'))).toBe(false)
  })

  it('saves the support file of a lane whose key is in the key store, while its folder is in use', async () => {
    await run(pinOf('lise'), '24680135\n')
    await run({ kind: 'secret' }, 'top-secret-7\n')
    const out = path.join(folder, 'support.json.gz')
    const lock = await lockFolder(folder)
    try {
      expect(await run({ kind: 'support', file: out }, '')).toMatchObject({
        code: 0,
        said: `Saved: ${out}. Send it to support.`,
      })
    } finally {
      if ('release' in lock) await lock.release()
    }
    expect(gunzipSync(readFileSync(out)).toString()).toContain('"platform": "linux"')
    // Another user's key store opens nothing: what cannot be looked for is in no file.
    const foreign = await run({ kind: 'support', file: `${out}.2` }, '', { keyStore: keyStoreOf('another') })
    expect(foreign.code).toBe(2)
    expect(existsSync(`${out}.2`)).toBe(false)
  })

  it('checks a lane with what its key store holds, beside its terminal, and seals and writes nothing', async () => {
    await run(pinOf('lise'), '24680135\n')
    await run({ kind: 'secret' }, 'top-secret-7\n')
    const before = onDisk()
    const lock = await lockFolder(folder)
    const own = await run({ kind: 'doctor' }, '')
    expect(own.said).toMatch(/OK +Sealing key +The key is in the system’s key store\./)
    expect(own.said).toMatch(/OK +Client secret +A client secret is in the system’s key store\./)
    expect(own.code).toBe(2)
    const foreign = await run({ kind: 'doctor' }, '', { keyStore: keyStoreOf('another') })
    expect(foreign.said).toContain('This user’s key store cannot open the key.')
    expect(own.said + own.complained + foreign.said + foreign.complained).not.toContain('top-secret-7')
    expect(onDisk()).toBe(before)
    if ('release' in lock) await lock.release()
  })

  it('ends a check that gets no answer from the disk, and says so', async () => {
    // Whoever opens it waits for somebody who writes.
    execFileSync('mkfifo', ['--mode=600', path.join(folder, 'seal.key')])
    const hung = await run({ kind: 'doctor' }, '', { checkEndsMs: 3_000 })
    expect(hung).toMatchObject({ code: 2, complained: expect.stringContaining(`disk under ${folder}`) })
  })

  it('gives the value by the environment where there is no standard input', async () => {
    expect(await run(pinOf('lise'), '', { environment: { MILEPOST_PROVISION_VALUE: '4071' } })).toMatchObject({
      code: 0,
      said: 'PIN of lise set.',
    })
  })

  it('puts the client secret into the care of the key store', async () => {
    expect(await run({ kind: 'secret' }, 'top-secret-7\n')).toMatchObject({
      code: 0,
      said: 'The client secret is in the key store’s care.',
      started: [],
    })
    expect((await readSecrets(keyStoreOf('lane'), folder))['MILEPOST_CLIENT_SECRET']).toBe('top-secret-7')
    expect(onDisk()).not.toContain('top-secret-7')
  })

  it('is told by the backend what is wrong, with its exit code', async () => {
    expect(await run(pinOf('lise'), '12ab\n')).toMatchObject({
      code: 2,
      said: '',
      complained: 'A PIN has four to eight digits. Nothing was changed.',
    })
    expect(await run(pinOf('nobody'), '4071\n')).toMatchObject({
      code: 2,
      complained: 'No nobody under staff in the profile; it has lise, omar.',
    })
    // An argument that was forgotten makes a person of the next one.
    expect(await run(pinOf('--data'), '4071\n')).toMatchObject({
      code: 2,
      complained: 'No --data under staff in the profile; it has lise, omar.',
    })
  })

  it('is refused before anything is started: no value, no such lane, a key store that keeps nothing', async () => {
    expect(await run(pinOf('lise'), '')).toMatchObject({
      code: 2,
      started: [],
      complained: expect.stringContaining('Nothing was given'),
    })
    expect(await run({ kind: 'secret' }, '\n')).toMatchObject({
      code: 2,
      complained: expect.stringContaining('Nothing was given'),
    })
    expect(await run(pinOf('lise'), '4071\n', { lane: '09' })).toMatchObject({
      code: 2,
      started: [],
      complained: 'The profile has no lane 09; it has 01. Nothing was changed.',
    })
    expect(await run(pinOf('lise'), '4071\n', { keyStore: keyStoreOf('lane', 'basic_text') })).toMatchObject({
      code: 2,
      started: [],
      complained: expect.stringContaining('plain text'),
    })
    expect(await run({ kind: 'secret' }, 'x\n', { keyStore: keyStoreOf('lane', 'basic_text') })).toMatchObject({
      code: 2,
      complained: expect.stringContaining('plain text'),
    })
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused while the terminal of the lane runs, and while its key store belongs to somebody else', async () => {
    const lock = await lockFolder(folder)
    if ('heldBy' in lock) throw new Error('a new folder is held')
    expect(await run(pinOf('lise'), '4071\n')).toMatchObject({
      code: 3,
      started: [],
      complained: expect.stringContaining(`process ${process.pid}`),
    })
    await lock.release()
    await readSecrets(keyStoreOf('lane'), folder)
    expect(await run(pinOf('lise'), '4071\n', { keyStore: keyStoreOf('stranger') })).toMatchObject({
      code: 2,
      started: [],
      complained: expect.stringContaining('cannot open'),
    })
  })

  it('in training needs no key store: the data folder keeps the key, as at every start', async () => {
    const training = path.join(folder, 'training.yaml')
    writeFileSync(training, readFileSync(path.join(root, 'stores', 'training.yaml')))
    expect(
      await run(pinOf('alex'), '4071\n', {
        outline: outlineOf(training),
        profileFile: () => training,
        dataFolder: path.join(folder, 'data'),
        keyStore: keyStoreOf('lane', 'basic_text'),
      }),
    ).toMatchObject({ code: 0, said: 'PIN of alex set.' })
    expect(readdirSync(path.join(folder, 'data'))).toContain('seal.key')
  })
})
