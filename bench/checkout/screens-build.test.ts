import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readScreensBuild } from './screens-build.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-screens-'))
  mkdirSync(path.join(folder, 'assets'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})
const write = (file: string, text: string): void => {
  writeFileSync(path.join(folder, file), text)
}

describe('reading the build of the measured screens', () => {
  it('throws if the folder contains no build', () => {
    expect(() => readScreensBuild(folder)).toThrow('npm run build')
  })

  it('returns the total size of the build’s scripts in kilobytes', () => {
    write('index.html', 'x'.repeat(50_000))
    write('assets/index.js', 'x'.repeat(600_000))
    write('assets/pages.js', 'x'.repeat(65_400))
    expect(readScreensBuild(folder)).toEqual({ scriptKb: 665, development: false })
  })

  it('recognizes a development build', () => {
    write('index.html', '')
    write('assets/index.js', 'console.info("Download the React DevTools for a better development experience")')
    expect(readScreensBuild(folder).development).toBe(true)
  })
})
