import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { PLATFORMS, programFiles } from './program-files.ts'
import { billOfMaterials } from './sbom.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

function tree(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-program-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  for (const file of ['package-lock.json', 'electron-builder.yml', 'node_modules'])
    symlinkSync(path.join(root, file), path.join(folder, file))
  for (const file of [
    'app/backend/main.js',
    'app/central/main.js',
    'app/electron/testing/x.js',
    'renderer/index.html',
  ]) {
    const full = path.join(folder, 'build', file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, '')
  }
  return folder
}

test('a production program excludes the reference services for training and their dependencies', () => {
  const folder = tree()
  const names = (mode: 'production' | 'training'): string[] =>
    programFiles(folder, PLATFORMS['linux-x64'], mode).map((file) => file.path)
  const [production, training] = [names('production'), names('training')]
  const ofTraining = /^(packages\/)?central\/|^node_modules\/(oidc-provider|koa)\//
  expect(production.filter((name) => ofTraining.test(name))).toEqual([])
  expect(training).toEqual(expect.arrayContaining(['central/main.js', 'node_modules/koa/package.json']))
  for (const list of [production, training]) {
    expect(list).toEqual(expect.arrayContaining(['backend/main.js', 'renderer/index.html']))
    expect(list.filter((name) => /testing\/|\.(map|md|ts)$|deps\//.test(name))).toEqual([])
  }
})

test('the program of each system contains only native modules for that system', () => {
  const folder = tree()
  const native = (name: keyof typeof PLATFORMS): string[] =>
    programFiles(folder, PLATFORMS[name], 'production')
      .map((file) => file.path)
      .filter((file) => file.endsWith('.node'))
      .map((file) => file.replace(/^.*prebuilds\//, '').replace(/\/.*$/, ''))
  expect(new Set(native('linux-x64'))).toEqual(new Set(['linux-x64.node', 'linux-x64']))
  expect(new Set(native('win-x64'))).toEqual(new Set(['win32-x64.node', 'win32-x64']))
  expect(new Set(native('mac-arm64'))).toEqual(new Set(['darwin-arm64.node', 'darwin-x64+arm64']))
})

test('the bill of materials is reproducible and lists components, with a file of their licence texts', () => {
  const texts = (): Record<string, string> =>
    Object.fromEntries(
      billOfMaterials(root, PLATFORMS['linux-x64-browser'], '1.2.3').map(({ path: name, from }) => [
        name,
        'bytes' in from ? from.bytes.toString('utf8') : '',
      ]),
    )
  const { 'sbom.cdx.json': sbom = '', 'LICENCES.txt': licences = '' } = texts()
  expect(texts()['sbom.cdx.json']).toBe(sbom)
  const { components, ...bom } = JSON.parse(sbom) as { components: { name: string; purl: string }[] }
  expect(bom).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { version: '1.2.3' } },
  })
  expect(bom).not.toHaveProperty('serialNumber')
  const names = components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'fastify', 'react', 'node']))
  expect(existsSync(path.join(root, 'LICENSE'))).toBe(true)
  expect(licences).toContain('==== better-sqlite3')
})
