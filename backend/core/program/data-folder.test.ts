import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import french from '../../../contracts/i18n/fr-CA/starting.ts'
import { formatRefusal } from '../../../contracts/core/refusal.ts'
import { readClientSecret, writeClientSecret } from '../central/client-secret.ts'
import { lockDataFolder, folderRefusal, StartRefusedError, type DataFolder } from './data-folder.ts'
import { migrate, readMigrations } from '../db/migrate.ts'
import { openDatabase } from '../db/database.ts'
import { temporaryFolder } from '../http/testing.ts'

function lock(folder: string, key: Uint8Array | null = null): DataFolder {
  const locked = lockDataFolder(folder, key, null)
  onTestFinished(locked.release)
  return locked
}

function refusalOf(start: () => unknown): StartRefusedError {
  try {
    start()
  } catch (error) {
    if (error instanceof StartRefusedError) return error
    throw error
  }
  throw new Error('it was not refused')
}

async function used(): Promise<string> {
  const folder = temporaryFolder()
  const locked = lockDataFolder(folder, null, null)
  const db = openDatabase(locked.database)
  await migrate(db, readMigrations())
  locked.markDatabase()
  db.close()
  locked.release()
  return folder
}

describe('locking a data folder', () => {
  test('leaves no incomplete key on a full disk, and succeeds when the disk has space again', ({ skip }) => {
    skip(process.getuid?.() !== 0 || process.platform !== 'linux', 'needs root on Linux, to mount a small disk')
    const folder = temporaryFolder()
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', folder])).toMatchObject({ status: 0 })
    onTestFinished(() => {
      spawnSync('umount', [folder])
    })
    writeFileSync(join(folder, 'filler'), '')
    expect(() => {
      for (;;) appendFileSync(join(folder, 'filler'), Buffer.alloc(4096))
    }).toThrow('ENOSPC')
    const refused = refusalOf(() => {
      try {
        lockDataFolder(folder, null, null)
      } catch (error) {
        throw folderRefusal(folder, error)
      }
    })
    expect(refused).toMatchObject({
      exitCode: 1,
      message:
        `The data folder ${folder} cannot be used: the disk is full. Free space on it, or use another ` +
        '--data folder.',
    })
    rmSync(join(folder, 'filler'))
    const locked = lockDataFolder(folder, null, null)
    expect(locked.masterKey.byteLength).toBe(32)
    locked.release()
  })

  test('refuses a second terminal with a readable message until the first releases the folder', () => {
    const folder = temporaryFolder()
    const first = lockDataFolder(folder, null, null)
    const refused = refusalOf(() => lockDataFolder(folder, null, null))
    expect(refused.exitCode).toBe(3)
    expect(refused.message).toContain('already running')
    expect(refused.message).toContain(folder)
    first.release()
    expect(lock(folder).masterKey.byteLength).toBe(32)
  })

  test('holds as long as the process runs, even when the handle of the lock is garbage collected', async () => {
    const folder = temporaryFolder()
    const holder = spawn(
      process.execPath,
      [
        '--expose-gc',
        '--input-type=module',
        '-e',
        `const { lockDataFolder } = await import(${JSON.stringify(join(import.meta.dirname, 'data-folder.ts'))})
       lockDataFolder(${JSON.stringify(folder)}, null, null)
       for (let turn = 0; turn < 5; turn += 1) { globalThis.gc(); await new Promise(setImmediate) }
       console.log('held'); setInterval(() => {}, 1000)`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const gone = once(holder, 'exit')
    onTestFinished(async () => {
      holder.kill('SIGKILL')
      await gone
    })
    for await (const line of createInterface({ input: holder.stdout })) {
      expect(line).toBe('held')
      break
    }
    expect(refusalOf(() => lockDataFolder(folder, null, null)).exitCode).toBe(3)
    holder.kill('SIGKILL')
    await gone
    expect(lock(folder).database).toBe(join(folder, 'terminal.db'))
  })

  test('reports a lock file with other contents as invalid, not as a second terminal', () => {
    const folder = temporaryFolder()
    writeFileSync(
      join(folder, 'terminal.lock'),
      'this is no lock file of ours, and long enough not to be taken for an empty one'.repeat(20),
    )
    expect(() => lockDataFolder(folder, null, null)).toThrow(/not a database/)
  })

  test('refuses a lock file that is a link, and does not touch the link’s target', () => {
    const folder = temporaryFolder()
    const elsewhere = join(temporaryFolder(), 'elsewhere')
    writeFileSync(elsewhere, '')
    symlinkSync(elsewhere, join(folder, 'terminal.lock'))
    expect(refusalOf(() => lockDataFolder(folder, null, null)).message).toContain('was not made by this program')
    expect(readFileSync(elsewhere, 'utf8')).toBe('')
  })

  test('refuses the lock file of another user', (context) => {
    if (process.getuid?.() !== 0) context.skip('only root can give a file to another user')
    const folder = temporaryFolder()
    lockDataFolder(folder, null, null).release()
    chownSync(join(folder, 'terminal.lock'), 65_534, 65_534)
    const refused = refusalOf(() => lockDataFolder(folder, null, null))
    expect([refused.exitCode, refused.message]).toEqual([2, expect.stringContaining('was not made by this program')])
    // A folder that root made and then gave to the terminal's own user is accepted.
    chownSync(folder, 65_534, 65_534)
    lockDataFolder(folder, null, null).release()
  })

  test('restricts the folder and its key to their owner', () => {
    const folder = join(temporaryFolder(), 'new')
    lock(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'seal.key')).mode & 0o777).toBe(0o600)
  })
})

describe('protection against data loss', () => {
  test('refuses to start without the database that existed before, with instructions for the installer', async () => {
    const folder = await used()
    unlinkSync(join(folder, 'terminal.db'))
    const refused = refusalOf(() => lockDataFolder(folder, null, null))
    expect(refused.exitCode).toBe(4)
    expect(refused.message).toContain('backups')
    rmSync(join(folder, 'terminal.json'))
    expect(lock(folder).database, 'an intentional new start works').toContain('terminal.db')
  })

  test('detects a missing database by its backups when the sentinel and the mark are missing too', async () => {
    const folder = await used()
    const backups = join(folder, 'backups')
    for (const name of ['daily-20261120-100000.db', 'closing-20261121-220000.db'])
      copyFileSync(join(folder, 'terminal.db'), join(backups, name))
    for (const name of ['terminal.db', 'terminal.json', 'journal.mark']) rmSync(join(folder, name), { force: true })
    const refused = refusalOf(() => lockDataFolder(folder, null, null))
    expect(refused.exitCode).toBe(4)
    expect(refused.message).toContain('daily-20261120-100000.db')
    expect(refused.message).toContain('closing-20261121-220000.db')
    expect(refused.message).toContain(`To start with an empty database, move ${backups}.`)
    expect(formatRefusal(refused.refusal ?? [], french)).toContain('Les sauvegardes les plus récentes')
    renameSync(backups, `${backups}-moved`)
    expect(lock(folder).database, 'an intentional new start works').toContain('terminal.db')
  })

  test('names in the refusal every file that an installer must move for a new start', async () => {
    const folder = await used()
    writeFileSync(join(folder, 'journal.mark'), 'x')
    unlinkSync(join(folder, 'terminal.db'))
    const { message } = refusalOf(() => lockDataFolder(folder, null, null))
    expect(message).toContain(`move ${join(folder, 'terminal.json')}, ${join(folder, 'journal.mark')}.`)
  })

  test('treats a database without contents as lost', async () => {
    const folder = await used()
    truncateSync(join(folder, 'terminal.db'), 0)
    expect(refusalOf(() => lockDataFolder(folder, null, null)).exitCode).toBe(4)
  })

  test('unlocks the folder when a start is refused', async () => {
    const folder = await used()
    copyFileSync(join(folder, 'terminal.db'), join(folder, 'copy'))
    unlinkSync(join(folder, 'terminal.db'))
    refusalOf(() => lockDataFolder(folder, null, null))
    copyFileSync(join(folder, 'copy'), join(folder, 'terminal.db'))
    expect(lock(folder).masterKey.byteLength).toBe(32)
  })

  test('reports no loss for a lane that was provisioned and never started', () => {
    const folder = temporaryFolder()
    lockDataFolder(folder, null, null).release()
    expect(existsSync(join(folder, 'terminal.json'))).toBe(false)
    const again = lockDataFolder(folder, null, null)
    again.markDatabase()
    expect(existsSync(join(folder, 'terminal.json')), 'there is no database to mark yet').toBe(false)
    again.release()
  })

  test('writes the missing sentinel of a database at the next start', async () => {
    const folder = await used()
    rmSync(join(folder, 'terminal.json'))
    const locked = lock(folder)
    expect([locked.hadDatabase, existsSync(join(folder, 'terminal.json'))]).toEqual([false, false])
    locked.markDatabase()
    locked.release()
    expect(lock(folder).hadDatabase).toBe(true)
  })

  test('refuses to start without the sealing key of an existing database, and creates no new key', async () => {
    const folder = await used()
    unlinkSync(join(folder, 'seal.key'))
    const refused = refusalOf(() => lockDataFolder(folder, null, null))
    expect(refused.exitCode).toBe(4)
    expect(refused.message).toContain('seal.key')
    expect(existsSync(join(folder, 'seal.key'))).toBe(false)
  })

  test('refuses an invalid sealing key, from the file or from the key store', async () => {
    const folder = await used()
    writeFileSync(join(folder, 'seal.key'), 'half a k')
    expect(refusalOf(() => lockDataFolder(folder, null, null)).exitCode).toBe(4)
    expect(refusalOf(() => lockDataFolder(temporaryFolder(), Buffer.alloc(31), null)).message).toContain('32 bytes')
  })

  test('keeps the sealing key of the folder over starts, and refuses another key', async () => {
    const folder = await used()
    const first = lockDataFolder(folder, null, null)
    const key = Buffer.from(first.masterKey)
    first.release()
    const second = lockDataFolder(folder, null, null)
    expect(Buffer.from(second.masterKey).equals(key)).toBe(true)
    second.release()
    const refused = refusalOf(() => lockDataFolder(folder, Buffer.alloc(32, 1), null))
    expect([refused.exitCode, refused.message]).toEqual([4, expect.stringContaining('The sealing key does not match')])
    expect(Buffer.from(lock(temporaryFolder(), Buffer.alloc(32, 1)).masterKey).equals(Buffer.alloc(32, 1))).toBe(true)
  })

  test('ties a folder to one lane of one store, and refuses another profile, especially that of training', async () => {
    const folder = await used()
    const real = { mode: 'production', store: '4417', lane: '01' } as const
    lockDataFolder(folder, null, real).release()
    for (const other of [
      { ...real, mode: 'training' as const },
      { ...real, store: '4418' },
      { ...real, lane: '02' },
    ]) {
      const refused = refusalOf(() => lockDataFolder(folder, null, other))
      expect([refused.exitCode, refused.message]).toEqual([
        2,
        expect.stringContaining('belongs to lane 01 of store 4417 (production)'),
      ])
    }
    lockDataFolder(folder, null, real).release()
  })

  test('refuses a file of the sealing key that others can read', async () => {
    const folder = await used()
    chmodSync(join(folder, 'seal.key'), 0o644)
    expect(refusalOf(() => lockDataFolder(folder, null, null)).message).toContain('chmod 600')
  })
})

describe('the client secret in the data folder', () => {
  test('is read without blanks around it, from a file that only its owner can read', () => {
    const folder = temporaryFolder()
    writeClientSecret(folder, '  s3cret\n')
    expect(readClientSecret(folder, {})).toBe('s3cret')
    expect(statSync(join(folder, 'client.secret')).mode & 0o777).toBe(0o600)
  })

  test.each([0o640, 0o604, 0o660, 0o644])(
    'is refused in a file of mode %o, with the shell command that corrects it',
    (mode) => {
      const folder = temporaryFolder()
      writeClientSecret(folder, 's3cret')
      chmodSync(join(folder, 'client.secret'), mode)
      const refused = refusalOf(() => readClientSecret(folder, {}))
      expect(refused.exitCode).toBe(2)
      expect(refused.message).toContain('chmod 600')
      expect(refused.message).not.toContain('s3cret')
    },
  )

  test('is restricted to its owner when it is written to a file that others can read', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'client.secret'), '', { mode: 0o644 })
    chmodSync(join(folder, 'client.secret'), 0o644)
    writeClientSecret(folder, 'new')
    expect(statSync(join(folder, 'client.secret')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(folder, 'client.secret'), 'utf8')).toBe('new\n')
  })

  test('is missing when none was stored; one in the environment takes precedence over the file', () => {
    const folder = temporaryFolder()
    expect(readClientSecret(folder, {})).toBeNull()
    writeClientSecret(folder, '')
    expect(readClientSecret(folder, {}), 'an empty file holds none').toBeNull()
    writeClientSecret(folder, 'from the file')
    expect(readClientSecret(folder, { MILEPOST_CLIENT_SECRET: 'from the shell' })).toBe('from the shell')
  })
})

describe.skipIf(process.platform === 'win32')('other users of this computer', () => {
  const modeOf = (file: string): number => statSync(file).mode & 0o777

  test('cannot read the data folder: a start restricts an open folder and its files to their owner', async () => {
    const folder = await used()
    mkdirSync(join(folder, 'logs'), { mode: 0o755 })
    mkdirSync(join(folder, 'catalog'), { mode: 0o755 })
    mkdirSync(join(folder, 'bundles'), { mode: 0o755 })
    const files = ['terminal.db', 'terminal.json', 'backups', 'logs', 'catalog', 'bundles']
    writeFileSync(join(folder, 'terminal.db-wal'), '', { mode: 0o644 })
    for (const file of files) chmodSync(join(folder, file), statSync(join(folder, file)).isDirectory() ? 0o755 : 0o644)
    chmodSync(folder, 0o755)
    const locked = lock(folder)
    expect(modeOf(folder)).toBe(0o700)
    expect([...files, 'terminal.db-wal'].map((file) => [file, modeOf(join(folder, file)).toString(8)])).toEqual([
      ['terminal.db', '600'],
      ['terminal.json', '600'],
      ['backups', '700'],
      ['logs', '700'],
      ['catalog', '700'],
      ['bundles', '700'],
      ['terminal.db-wal', '600'],
    ])
    const db = openDatabase(locked.database)
    expect(
      ['terminal.db', 'terminal.db-wal', 'terminal.db-shm'].map((file) => modeOf(join(folder, file)).toString(8)),
      'what SQLite adds is as closed as its database',
    ).toEqual(['600', '600', '600'])
    db.close()
  })

  test('can read no byte of a new database', async () => {
    const folder = temporaryFolder()
    const { database } = lock(folder)
    expect(modeOf(database).toString(8)).toBe('600')
    expect(statSync(database).size).toBe(0)
  })

  test('prevent a start, with instructions, if they have access that the program may not remove', () => {
    const folder = join(temporaryFolder(), 'shared')
    mkdirSync(folder)
    writeFileSync(join(folder, 'letter.txt'), 'of somebody')
    chmodSync(folder, 0o755)
    expect(refusalOf(() => lockDataFolder(folder, null, null))).toMatchObject({
      exitCode: 2,
      message:
        `The data folder ${folder} contains other files, and other users can read it. ` +
        `Use another --data folder, or run: chmod 700 '${folder}'`,
    })
    rmSync(join(folder, 'letter.txt'))
    chmodSync(folder, 0o1777)
    expect(refusalOf(() => lockDataFolder(folder, null, null))).toMatchObject({
      exitCode: 2,
      message:
        `Other users of this machine can access the data folder ${folder}. They could read and change its ` +
        'contents. Use a --data folder of your own.',
    })
    expect(modeOf(folder).toString(8)).toBe('777')
  })
})
