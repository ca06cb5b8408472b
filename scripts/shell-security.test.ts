import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Configuration } from 'electron-builder'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { ELECTRON_MAJOR, supportedUntil } from '../contracts/core/electron-support.ts'
import { supportWarning } from './window/electron-runtime.ts'
import { FUSE_NAMES, fuseDifferences, missingFuses } from '../packages/delivery/packaging/electron-program.ts'
import { fakeRuntime } from './fake-runtime.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (...parts: string[]): string => readFileSync(path.join(root, ...parts), 'utf8')
const TABLE = read('docs', 'shell-security.md')

const POINTS = [
  'Only load secure content',
  'Do not enable Node.js integration for remote content',
  'Enable context isolation',
  'Enable process sandboxing',
  'Handle session permission requests from remote content',
  'Do not disable webSecurity',
  'Define a Content Security Policy',
  'Do not enable allowRunningInsecureContent',
  'Do not enable experimental features',
  'Do not use enableBlinkFeatures',
  'Do not use allowpopups for WebViews',
  'Verify WebView options before creation',
  'Disable or limit navigation',
  'Disable or limit creation of new windows',
  'Do not use shell.openExternal with untrusted content',
  'Use a current version of Electron',
  'Validate the sender of all IPC messages',
  'Avoid usage of the file:// protocol and prefer usage of custom protocols',
  'Check which fuses you can change',
  'Do not expose Electron APIs to untrusted web content',
]

describe('the table of the shell’s security measures in docs/shell-security.md', () => {
  const rows = TABLE.split('\n')
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))

  it('has the twenty points of Electron’s checklist in Electron’s order', () => {
    expect(rows.map(([, number, point]) => [Number(number), point?.replaceAll('`', '')])).toEqual(
      POINTS.map((point, index) => [index + 1, point]),
    )
  })

  it.each(POINTS.map((point, index) => [index + 1, point] as const))(
    'cites existing tests for point %i: %s',
    (number) => {
      const cited = [...(rows[number - 1]?.[4] ?? '').matchAll(/\[(\S+)\]\(\.\.\/(\S+)\) “([^”]+)”/g)]
      expect(cited.length).toBeGreaterThan(0)
      for (const [, shown, file = '', title = ''] of cited) {
        expect(path.basename(file), 'the link text is the file name').toBe(shown)
        expect(existsSync(path.join(root, file)), file).toBe(true)
        expect(read(file), `${file} has the test`).toContain(title)
      }
    },
  )

  it('has a test in the real runtime for each point, and the date when that test last passed', () => {
    const smoke = read('scripts', 'shell-smoke.campaign.test.ts')
    const numbers = [...smoke.matchAll(/\bis\(\s*'([\d, ]+) /g)].flatMap(([, list = '']) =>
      list.split(', ').map(Number),
    )
    expect([...new Set(numbers)]).toEqual(POINTS.map((_, index) => index + 1))
    for (const [, number, , , , seen] of rows) expect(seen, number).toMatch(/^(no|\d{4}-\d{2}-\d{2})$/)
  })
})

describe('an Electron package', () => {
  const settings = parse(read('electron-builder.yml')) as Configuration

  it('has every fuse set: no Node, no inspector, only its archive, no file privileges', () => {
    expect(settings.electronFuses).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    })
    expect(Object.keys(settings.electronFuses ?? {})).toEqual(FUSE_NAMES)
  })

  it('is one archive with only native modules outside', () => {
    expect(settings.asar).toEqual({ smartUnpack: false })
    expect(settings.asarUnpack).toEqual(['**/*.node'])
  })

  it('is detected if its fuses differ from the configured ones, and a file without fuses is rejected', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'milepost-fuses-'))
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true })
    })
    // A runtime as Electron ships it, before any fuse is set.
    const name = process.platform === 'win32' ? 'electron.exe' : 'electron'
    const shipped = path.join(fakeRuntime(path.join(folder, 'runtime'), '0.0.0'), name)
    expect(await fuseDifferences(shipped, settings.electronFuses ?? {})).toEqual([
      'runAsNode: 49',
      'enableCookieEncryption: 48',
      'enableNodeOptionsEnvironmentVariable: 49',
      'enableNodeCliInspectArguments: 49',
      'enableEmbeddedAsarIntegrityValidation: 48',
      'onlyLoadAppFromAsar: 48',
      'grantFileProtocolExtraPrivileges: 49',
    ])
    expect(await fuseDifferences(shipped, {})).toEqual(FUSE_NAMES.map((fuse) => `${fuse}: not set`))
    expect(await missingFuses(shipped)).toEqual([])
    const bare = path.join(folder, 'bare')
    writeFileSync(bare, 'no fuses')
    await expect(fuseDifferences(bare, settings.electronFuses ?? {})).rejects.toThrow('sentinel')
  })
})

describe('the Electron runtime of a package', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
  const pinned = devDependencies['electron'] ?? ''

  it('is pinned exactly, with the support date of its major version documented', () => {
    expect(pinned).toMatch(/^\d+\.\d+\.\d+$/)
    expect(Number(pinned.split('.')[0])).toBe(ELECTRON_MAJOR.major)
    expect(TABLE).toContain(
      `Electron ${ELECTRON_MAJOR.major} came out on ${ELECTRON_MAJOR.since} and is supported until about ` +
        `${supportedUntil(ELECTRON_MAJOR.since)}`,
    )
  })

  const warnedOn = (day: string): string | null =>
    supportWarning(new Date(`${day}T12:00:00Z`), { major: 45, since: '2026-10-21' })

  it('causes a warning when packages are built, from four weeks before the end of its support', () => {
    expect(warnedOn('2027-03-09')).toBeNull()
    expect(warnedOn('2027-03-10')).toContain('Electron 45 gets no more fixes from about 2027-04-07 on.')
    expect(warnedOn('2027-04-06')).toContain('gets no more fixes from about 2027-04-07 on')
    expect(warnedOn('2027-04-07')).toContain('Electron 45 has had no more fixes since about 2027-04-07.')
    expect(warnedOn('2029-01-01')).toContain('has had no more fixes since about 2027-04-07')
  })
})

describe('the built screens of the package', () => {
  it('load scripts, styles and images only from the package', () => {
    const page = read('build', 'renderer', 'index.html')
    const addresses = [...page.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
    expect(addresses.length).toBeGreaterThan(2)
    expect(addresses.filter((address) => !/^(\/(?!\/)|data:image\/)/.test(address))).toEqual([])
  })
})
