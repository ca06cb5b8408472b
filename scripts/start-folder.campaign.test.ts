import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/**
 * Tests `npm start` with an unusable data folder, which must give a message and an exit code, no stack trace, and no
 * hang.
 */
const START = path.join(import.meta.dirname, 'start.ts')
const TIMEOUT = 60_000
const ROOT = process.getuid?.() === 0
/** Id of a user who owns no files, because file modes do not stop root. */
const NOBODY = 65_534

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-folder-'))
  chmodSync(folder, 0o755)
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function refused(
  data: string,
  as: { uid?: number; gid?: number } = {},
): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, [START, '--no-window', '--data', data], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...as,
  })
  // The process is stopped with SIGKILL, because a start that hangs may ignore SIGTERM.
  const impatience = setTimeout(() => child.kill('SIGKILL'), TIMEOUT / 2)
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>])
  clearTimeout(impatience)
  expect(errors).not.toMatch(/^\s+at |node:|Error:/m)
  return { code, errors }
}

function used(): string {
  const data = path.join(folder, 'used')
  const root = path.join(import.meta.dirname, '..')
  execFileSync(
    process.execPath,
    [
      ...process.execArgv,
      path.join(root, 'backend', 'operations', 'provision.ts'),
      'set-pin',
      '--data',
      data,
      '--profile',
      path.join(root, 'stores', 'training.yaml'),
      '--staff',
      'alex',
    ],
    { input: '2468\n', stdio: 'pipe' },
  )
  return data
}

describe('npm start explains that a data folder cannot be used,', () => {
  it(
    'if a file is in its place or in the path',
    async () => {
      const file = path.join(folder, 'file')
      writeFileSync(file, '')
      for (const data of [file, path.join(file, 'lane')]) {
        expect(await refused(data)).toEqual({
          code: 2,
          errors:
            `The data folder ${data} cannot be used: a file has the name of the folder. Move the file, or use ` +
            `another --data folder.\n`,
        })
      }
    },
    TIMEOUT,
  )

  it(
    'if its place is a file system that allows no new folders, such as /proc',
    async ({ skip }) => {
      skip(process.platform !== 'linux', 'needs /proc')
      expect(await refused('/proc/milepost/lane')).toEqual({
        code: 2,
        errors:
          'The data folder /proc/milepost/lane cannot be used: the system does not allow a new folder there. Use ' +
          'another --data folder.\n',
      })
    },
    TIMEOUT,
  )

  it(
    'if the user may not write to it, readable or not',
    async ({ skip }) => {
      skip(process.platform === 'win32', 'Windows has no modes')
      const [seen, hidden] = [path.join(folder, 'seen'), path.join(folder, 'hidden')]
      mkdirSync(seen, { mode: 0o555 })
      mkdirSync(hidden, { mode: ROOT ? 0o700 : 0o000 })
      try {
        for (const data of [seen, path.join(seen, 'lane'), hidden, path.join(hidden, 'lane')]) {
          expect(await refused(data, ROOT ? { uid: NOBODY, gid: NOBODY } : {})).toEqual({
            code: 2,
            errors:
              `The data folder ${data} cannot be used: this user has no write permission. Give this user write ` +
              `permission, or use another --data folder.\n`,
          })
        }
      } finally {
        // A user other than root can delete the unreadable folder only with this mode.
        chmodSync(hidden, 0o700)
      }
    },
    TIMEOUT,
  )

  it(
    'if its database is damaged or is not a database',
    async () => {
      const data = used()
      const database = path.join(data, 'terminal.db')
      for (const size of [20_000, 700]) {
        truncateSync(database, size)
        expect(await refused(data)).toMatchObject({
          code: 4,
          errors: expect.stringMatching(/its database is damaged\. Restore it from your backup/),
        })
      }
      writeFileSync(database, 'a letter to the manager, saved under the wrong name'.repeat(100))
      expect(await refused(data)).toMatchObject({
        code: 4,
        errors: expect.stringMatching(/its database file is not a database\. Restore it from your backup/),
      })
    },
    TIMEOUT,
  )

  it(
    'if the disk is full',
    async ({ skip }) => {
      skip(!ROOT || process.platform !== 'linux', 'needs root on Linux, to mount a small disk')
      const data = path.join(folder, 'small')
      mkdirSync(data)
      expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', data], { encoding: 'utf8' })).toMatchObject({
        status: 0,
      })
      try {
        const { code, errors } = await refused(data)
        expect(errors).toBe(
          `The training services ended before being ready (exit code 1).\nThe data folder ` +
            `${path.join(data, 'central')} cannot be used: the disk is full. Free space on it, or use ` +
            `another --data folder.\nThe log is in ${path.join(data, 'logs')}.\n`,
        )
        expect(code).toBe(1)
      } finally {
        spawnSync('umount', [data])
      }
    },
    TIMEOUT,
  )
})
