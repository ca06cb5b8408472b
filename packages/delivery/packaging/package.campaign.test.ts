import { createHash, randomUUID } from 'node:crypto'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { extractAll, getRawHeader, listPackage } from '@electron/asar'
import type { Configuration } from 'electron-builder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { KEY_HEADER, openWindowAt, windowHeaders } from '../../../contracts/core/window.ts'
import { parse } from 'yaml'
import { readSecrets } from '../../supervisor/key-store.ts'
import { readProfileOutline } from '../../supervisor/profile-outline.ts'
import { provision } from '../../supervisor/provision.ts'
import { run } from '../../lab/rig/process.ts'
import type { ProcessRequest } from '../../supervisor/service.ts'
import { keyStoreOf } from '../../supervisor/testing/key-store-stand-in.ts'
import { forkLikeElectron } from '../../supervisor/testing/utility-stand-in.ts'
import { adaptUtility } from '../../supervisor/shell/utility-streams.ts'
import { fuseDifferences, programForArchive } from './electron-program.ts'
import { programsInPackage } from './package-programs.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const work = mkdtempSync(path.join(tmpdir(), 'milepost-package-'))
const out = path.join(work, 'release')
const unpacked = path.join(work, 'unpacked')

async function runPackage(...args: string[]): Promise<{ code: number | null; output: string }> {
  const program = path.join(root, 'packages/delivery/packaging/package.ts')
  const { code, stdout: output, stderr: errorOutput } = await run([program, ...args], { cwd: root })
  return { code, output: output + errorOutput }
}
const archive = (): string => {
  const entry = readdirSync(out, { recursive: true, withFileTypes: true }).find((one) => one.name === 'app.asar')
  if (entry === undefined) throw new Error('no app.asar was made')
  return path.join(entry.parentPath, entry.name)
}

type Folder = ReturnType<typeof getRawHeader>['header']
interface PackedFile {
  readonly name: string
  readonly integrity?: { readonly algorithm: string; readonly hash: string }
}
function packedFiles({ files }: Folder, at = ''): PackedFile[] {
  return Object.entries(files).flatMap(([one, entry]) => {
    const name = path.posix.join(at, one)
    if ('files' in entry) return packedFiles(entry, name)
    return 'link' in entry || entry.unpacked ? [] : [{ name, integrity: entry.integrity }]
  })
}

let packaged: { code: number | null; output: string }
let backend: ChildProcess | undefined
beforeAll(async () => {
  packaged = await runPackage('--store', 'stores/example.yaml', '--dir', '--out', out)
  if (packaged.code === 0) extractAll(archive(), unpacked)
}, 300_000)
afterAll(async () => {
  if (backend !== undefined && backend.exitCode === null) {
    const closed = once(backend, 'close')
    backend.kill('SIGKILL')
    await closed
  }
  rmSync(work, { recursive: true, force: true })
})

async function startBackend(
  data: string,
  secrets: Readonly<Record<string, string>>,
): Promise<{ url: string; launchUrl: string }> {
  backend = spawn(
    process.execPath,
    [
      path.join(unpacked, 'backend', 'main.js'),
      '--profile',
      path.join(unpacked, 'store', 'profile.yaml'),
      '--data',
      data,
      '--lane',
      '01',
      '--port',
      '0',
      '--static',
      path.join(unpacked, 'renderer'),
      '--exit-with-stdin',
    ],
    {
      cwd: work,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, MILEPOST_CLIENT_SECRET: 'made-up', ...secrets },
    },
  )
  const { stdout, stderr } = backend
  if (stdout === null || stderr === null) throw new Error('no pipes')
  const complaints = text(stderr)
  const line = await Promise.race([
    once(createInterface({ input: stdout }), 'line').then(([first]) => String(first)),
    once(backend, 'close').then(async ([code]) => Promise.reject(new Error(`ended with ${code}: ${await complaints}`))),
  ])
  return JSON.parse(line) as { url: string; launchUrl: string }
}
async function stopBackend(): Promise<unknown[]> {
  if (backend === undefined) throw new Error('no backend was started')
  const closed = once(backend, 'close')
  backend.stdin?.end()
  return closed
}

describe('the package of a production store', () => {
  it('is created, with a report of its size and whether it can start', () => {
    expect(packaged.output).toMatch(
      /Package for store 4417 in .*: archive \d+\.\d MB, native modules \d+\.\d MB, \d+ production packages\./,
    )
    expect(packaged.code).toBe(0)
    const runtimeIsHere = existsSync(path.join(root, 'node_modules', 'electron', 'path.txt'))
    expect(packaged.output.includes('Layout only:')).toBe(!runtimeIsHere)
  })

  it('has the configured fuses, read from its program or from the stand-in', async () => {
    const settings = parse(readFileSync(path.join(root, 'electron-builder.yml'), 'utf8')) as Configuration
    const program = programForArchive(archive(), process.platform, settings)
    const runtimeIsHere = existsSync(path.join(root, 'node_modules', 'electron', 'path.txt'))
    const what = runtimeIsHere ? program : 'the stand-in program'
    expect(packaged.output).toContain(`Fuses read back from ${what}: as set.`)
    expect(await fuseDifferences(program, settings.electronFuses ?? {})).toEqual([])
    expect(await fuseDifferences(program, { ...settings.electronFuses, runAsNode: true })).toEqual(['runAsNode: 48'])
  })

  it('has the hash of every file in its archive, which the runtime of macOS and Windows verifies', () => {
    const { header } = getRawHeader(archive())
    const packed = packedFiles(header)
    expect(packed.length).toBeGreaterThan(20)
    expect(packed.filter(({ integrity }) => integrity?.algorithm !== 'SHA256').map(({ name }) => name)).toEqual([])
    const main = packed.find(({ name }) => name === 'electron/main.js')
    expect(main?.integrity?.hash).toBe(
      createHash('sha256')
        .update(readFileSync(path.join(unpacked, 'electron', 'main.js')))
        .digest('hex'),
    )
  })

  it('contains the profile and the catalog of its store, and the screens', () => {
    expect(readFileSync(path.join(unpacked, 'store', 'profile.yaml'), 'utf8')).toBe(
      readFileSync(path.join(root, 'stores', 'example.yaml'), 'utf8'),
    )
    expect(readdirSync(path.join(unpacked, 'store'))).toContain('example-catalog.csv')
    expect(existsSync(path.join(unpacked, 'renderer', 'index.html'))).toBe(true)
  })

  it('contains programs in ASCII, without the unused schema compilers', () => {
    const programs = ['backend', 'electron', 'shared'].flatMap((folder) =>
      readdirSync(path.join(unpacked, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.c?js$/.test(file))
        .map((file) => ({ file, code: readFileSync(path.join(unpacked, folder, file), 'utf8') })),
    )
    expect(programs.filter(({ code }) => /[^\0-\x7f]/.test(code)).map(({ file }) => file)).toEqual([])
    expect(programs.some(({ code }) => code.includes(String.raw`\u00e9`))).toBe(true)
    expect(programs.filter(({ code }) => code.includes('fast-json-stringify')).map(({ file }) => file)).toEqual([])
  })

  it('contains no build tools', () => {
    const files = listPackage(archive(), { isPack: false }).map((file) => file.split(path.sep).join('/'))
    const { devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>
    }
    const tools = Object.keys(devDependencies).filter((name) =>
      files.some((file) => file.startsWith(`/node_modules/${name}/`)),
    )
    expect(tools).toEqual([])
    expect(files.filter((file) => /\.test\.js$|^\/(e2e|bench|scripts|docs|stores|build)\//.test(file))).toEqual([])
    const own = files.filter((file) => !file.startsWith('/node_modules/'))
    expect(
      own.filter((file) => /^\/packages\/lab(\/|$)|\/testing(\/|\.js$)|\/testing$|\.fixture\.js$/.test(file)),
    ).toEqual([])
    expect(files.filter((file) => !file.startsWith('/node_modules/') && file.endsWith('.ts'))).toEqual([])
  })

  it('contains neither the reference services for training nor their identity provider', () => {
    const files = listPackage(archive(), { isPack: false }).map((file) => file.split(path.sep).join('/'))
    expect(
      files.filter((file) =>
        /^\/(packages\/)?central(\/|$)|^\/node_modules\/(oidc-provider|koa|cookies)(\/|$)/.test(file),
      ),
    ).toEqual([])
    expect(files).toEqual(
      expect.arrayContaining(['/backend/main.js', '/electron/main.js', '/node_modules/openid-client/package.json']),
    )
    expect(packaged.output).toContain('Production package: it excludes the services of training.')
  })

  it('renders text as a picture with its own font and renderer', async () => {
    const drawingOf = (text: string): string =>
      '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"><rect width="200" height="40" fill="#fff"/>' +
      `<text y="30" font-family="monospace">${text}</text></svg>`
    const draw = async (text: string): Promise<Buffer> => {
      const worker = new Worker(path.join(unpacked, 'backend', 'core', 'paper', 'png-worker.js'), {
        workerData: { svg: drawingOf(text), width: 400 },
      })
      const [{ result }] = (await once(worker, 'message')) as [{ readonly result: Uint8Array }]
      return Buffer.from(result)
    }
    const picture = await draw('Épicerie 5 €')
    expect(picture.subarray(1, 4).toString('latin1')).toBe('PNG')
    expect(picture.equals(await draw('')), 'the words are drawn').toBe(false)
  })

  it('keeps native modules outside the archive, for this system only', () => {
    const native = readdirSync(`${archive()}.unpacked`, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(native.filter((entry) => !entry.name.endsWith('.node'))).toEqual([])
    const sqlite = native.filter((entry) => entry.parentPath.includes('better-sqlite3')).map((entry) => entry.name)
    expect(sqlite).toEqual([`${process.platform}-${process.arch}.node`])
  })

  it('starts a backend that answers for its store and lane', async () => {
    const { url } = await startBackend(path.join(work, 'data'), {})
    const terminal = await fetch(`${url}/api/terminal`)
    expect(terminal.status).toBe(200)
    expect(await terminal.json()).toMatchObject({ mode: 'production', store: { id: '4417' }, lane: '01', region: 'QC' })
    const page = await fetch(`${url}/`)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(await stopBackend()).toEqual([0, null])
  })

  it('accepts a PIN on a lane with only the package, and the PIN signs in', async () => {
    const data = path.join(work, 'lane')
    const keys = await readSecrets(keyStoreOf('lane'), data)
    const started: ProcessRequest[] = []
    const output: string[] = []
    const profileFile = path.join(unpacked, 'store', 'profile.yaml')
    const outline = readProfileOutline(profileFile)
    if (outline === null) throw new Error('the packaged profile cannot be read')
    const code = await provision(
      { kind: 'pin', staffId: 'lise' },
      {
        outline,
        profileFile: () => profileFile,
        lane: '01',
        dataFolder: data,
        keyStore: keyStoreOf('lane'),
        platform: 'linux',
        provisionMain: path.join(unpacked, 'backend', 'operations', 'provision.js'),
        supportMain: path.join(unpacked, 'backend', 'operations', 'support', 'support-file.js'),
        doctorMain: path.join(unpacked, 'backend', 'operations', 'restore', 'doctor.js'),
        profileArgs: [],
        launch: (request) => {
          started.push(request)
          return adaptUtility(forkLikeElectron(request))
        },
        input: Readable.from([Buffer.from('24680135\n')]),
        environment: {},
        log: (line) => output.push(line),
        complain: (line) => output.push(line),
      },
    )
    expect({ code, output }).toEqual({ code: 0, output: ['PIN of lise set.'] })
    expect(started.map(({ args }) => args.join(' ')).join()).not.toContain('24680135')

    const { url, launchUrl } = await startBackend(data, keys)
    const headers = await windowHeaders(url, await openWindowAt(url, launchUrl))
    const post = (call: string, body: object): Promise<Response> =>
      fetch(`${url}/api/${call}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json', [KEY_HEADER]: randomUUID() },
        body: JSON.stringify(body),
      })
    expect(await (await post('sign-in', { staffId: 'lise', pin: '24680136' })).json()).toMatchObject({
      code: 'pin-wrong',
    })
    expect(await (await post('sign-in', { staffId: 'omar', pin: '24680135' })).json()).toMatchObject({
      code: 'pin-not-set',
    })
    expect(await (await post('sign-in', { staffId: 'lise', pin: '24680135' })).json()).toMatchObject({
      code: 'pin-change-required',
    })
    expect(await (await post('sign-in', { staffId: 'lise', pin: '24680135', newPin: '39071' })).json()).toMatchObject({
      staff: { name: 'Lise Fournier' },
    })
    expect(await stopBackend()).toEqual([0, null])
  })
})

describe('the package of a training profile', () => {
  it('includes the reference services, and the build reports that', () => {
    const { files, message } = programsInPackage('training', lockfile)
    expect(files).toEqual([
      { from: 'build/app', to: '.', filter: expect.not.arrayContaining([expect.stringContaining('central')]) },
    ])
    const built = (file: string): boolean => existsSync(path.join(root, 'build', 'app', file))
    expect(
      [built('central/main.js'), built('packages/conformance')],
      'the services, and not what only tests use of them',
    ).toEqual([true, false])
    expect(message).toBe(
      'Training package: it includes simulated services, and its sales do not count. A store needs mode: production.',
    )
  })

  it('differs from the production package, which excludes the dependencies of the identity provider', () => {
    const [programs, ...excluded] = programsInPackage('production', lockfile).files
    expect(programs).toMatchObject({
      from: 'build/app',
      filter: expect.arrayContaining(['!central{,/**}', '!packages/central{,/**}']),
    })
    expect(excluded).toEqual([
      '!node_modules/koa{,/**}',
      '!node_modules/koa/node_modules/shared{,/**}',
      '!node_modules/oidc-provider{,/**}',
    ])
  })

  const lockfile = {
    packages: {
      '': { dependencies: { fastify: '1', 'oidc-provider': '1' } },
      'node_modules/fastify': { dependencies: { shared: '1' } },
      'node_modules/shared': {},
      'node_modules/oidc-provider': { dependencies: { koa: '1', shared: '1' } },
      'node_modules/koa': { dependencies: { shared: '2' } },
      'node_modules/koa/node_modules/shared': {},
    },
  }
})

describe('the configuration of the installers', () => {
  it('keeps the sandbox: the only Linux installer is a deb, which never starts without the sandbox', () => {
    const { linux, mac, extraMetadata } = parse(
      readFileSync(path.join(root, 'electron-builder.yml'), 'utf8'),
    ) as Configuration
    // The default targets of electron-builder are a snap and an AppImage; an AppImage starts itself with --no-sandbox.
    expect(linux?.target).toEqual(['deb'])
    expect(linux?.executableArgs ?? []).toEqual([])
    // electron-builder requires a maintainer and a homepage for a deb.
    expect([linux?.maintainer, extraMetadata?.homepage]).toEqual([
      expect.stringMatching(/<.+@.+>/),
      expect.stringMatching(/^https:/),
    ])
    expect(mac).toMatchObject({ identity: '-', hardenedRuntime: false })
  })
})

describe('the package build', () => {
  it('is refused for a profile with a mistake, and reports its line', async () => {
    const bad = path.join(work, 'bad.yaml')
    writeFileSync(
      bad,
      readFileSync(path.join(root, 'stores', 'example.yaml'), 'utf8').replace('region: QC', 'region: QX'),
    )
    const { code, output } = await runPackage('--store', bad, '--dir', '--out', path.join(work, 'none'))
    expect(output).toContain('bad.yaml:10:9  region:')
    expect(code).toBe(2)
  })

  it('is refused without a store, and for an unknown option', async () => {
    expect(await runPackage('--dir')).toMatchObject({ code: 2 })
    expect(await runPackage('--stores', 'x')).toMatchObject({ code: 2 })
  })
})
