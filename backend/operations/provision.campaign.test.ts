import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../core/db/database.ts'
import { systemClock } from '../core/clock.ts'
import { lockDataFolder } from '../core/program/data-folder.ts'
import { createAuditTrail } from '../core/audit.ts'
import { createSeal } from '../core/integrity/seal.ts'
import { pinKeyOf } from '../staff/pins.ts'
import { createStaffService } from '../staff/sign-in.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { type Outcome, run } from '../../packages/lab/rig/process.ts'
import { staffModuleOf } from '../staff/staff-module.ts'
import { trainingProfile } from '../../packages/lab/testing/loyalty-harness.ts'

const EXAMPLE = join(import.meta.dirname, '../..', 'stores', 'example.yaml')
const SEAL_KEY = Buffer.alloc(32, 7).toString('base64')

/** Runs the installer's CLI command. `typed`: text on its standard input, which is otherwise closed at once. */
const provision = (
  args: readonly string[],
  typed: string | null,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> =>
  run([join(import.meta.dirname, 'provision.ts'), ...args], { typed: typed ?? '', env: { ...process.env, ...env } })
const setPin = (data: string, typed: string | null, env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  provision(['set-pin', '--data', data, '--profile', EXAMPLE, '--staff', 'lise'], typed, env)

async function signingIn(data: string, pin: string, key?: string): Promise<string> {
  const db = openDatabase(join(data, 'terminal.db'))
  const masterKey = Buffer.from(key ?? readFileSync(join(data, 'seal.key'), 'utf8').trim(), 'base64')
  try {
    const audit = createAuditTrail({ db, clock: systemClock, seal: createSeal(masterKey) })
    const profile = { ...trainingProfile(), mode: 'production' as const }
    const staff = createStaffService(staffModuleOf({ db, clock: systemClock, audit, profile }, pinKeyOf(masterKey)))
    return await staff.checkPin('lise', pin).then(
      ({ name }) => name,
      (error: unknown) => String((error as { code?: string }).code),
    )
  } finally {
    db.close()
  }
}

/**
 * Size of the database. Locking the folder creates it as an empty file that only its owner can read, so 0 proves that
 * nothing was written.
 */
const databaseBytes = (data: string): number =>
  statSync(join(data, 'terminal.db'), { throwIfNoEntry: false })?.size ?? 0

describe('a PIN that the installer sets', () => {
  test('is right at the next sign-in, at which the person must change it', async () => {
    const data = temporaryFolder()
    expect(await setPin(data, '4794\n')).toMatchObject({ code: 0, stdout: 'PIN of lise set.\n' })
    expect(await signingIn(data, '4794')).toBe('pin-change-required')
    expect(await signingIn(data, '1111')).toBe('pin-wrong')
  })

  test('is refused when it is easy to guess, and nothing is stored', async () => {
    const data = temporaryFolder()
    for (const common of ['1234', '0000', '2512'])
      expect(await setPin(data, `${common}\n`)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('PIN too easy to guess'),
      })
    expect(databaseBytes(data)).toBe(0)
  })

  test('can be passed in the environment by a parent process that gives no standard input', async () => {
    const data = temporaryFolder()
    expect(await setPin(data, null, { MILEPOST_PROVISION_VALUE: '97153' })).toMatchObject({ code: 0, stderr: '' })
    expect(await signingIn(data, '97153')).toBe('pin-change-required')
    expect(await setPin(data, '4794\n', { MILEPOST_PROVISION_VALUE: ' ' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('MILEPOST_PROVISION_VALUE is empty'),
    })
    expect(await signingIn(data, '97153')).toBe('pin-change-required')
  })

  test.each(['--data', '--profile', '--staff'])('is not set when the option %s is empty', async (name) => {
    const given = { '--data': temporaryFolder(), '--profile': EXAMPLE, '--staff': 'lise', [name]: '' }
    const refused = await provision(
      ['set-pin', ...Object.entries(given).map(([option, value]) => `${option}=${value}`)],
      '4794\n',
    )
    expect(refused).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`${name} needs a value.`),
    })
    expect(refused.stderr).toContain('npx node backend/operations/provision.ts set-secret')
  })

  test('is refused as an argument on the command line, which other users could read', async () => {
    const data = temporaryFolder()
    const refused = await provision(
      ['set-pin', '4794', '--data', data, '--profile', EXAMPLE, '--staff', 'lise'],
      '4794\n',
    )
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('npx node backend/operations/provision.ts set-secret')
    expect(databaseBytes(data)).toBe(0)
  })

  test('is refused without a value or with an invalid one', async () => {
    const data = temporaryFolder()
    expect(await setPin(data, null)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No value on standard input. Nothing was changed.'),
    })
    expect(await setPin(data, '12ab\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('four to eight digits'),
    })
    expect(databaseBytes(data)).toBe(0)
  })
})

describe('the provision CLI command', () => {
  test('prints its help', async () => {
    for (const ask of ['--help', '-h'])
      expect(await provision([ask], null)).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining('set-pin --data FOLDER'),
      })
  })

  test('answers invalid input with the reason and its usage, never with a stack trace', async () => {
    for (const [args, reason] of [
      [['set-secret', '--colour', 'red'], 'Unknown option --colour.'],
      [['set-secret', '--data'], '--data'],
      [['set-everything', '--data', 'x'], 'set-secret, set-mail-password, set-pin, enrol or restore'],
      [['set-secret'], '--data FOLDER is required'],
      [['set-pin', '--data', 'x'], '--profile FILE and --staff ID'],
    ] as const) {
      const { code, stdout, stderr: complained } = await provision(args, null)
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' })
      expect(complained).toContain(reason)
      expect(complained).toContain('npx node backend/operations/provision.ts set-secret')
      expect(complained).not.toMatch(/^\s+at /m)
    }
  })

  test('explains why a data folder cannot be used', async () => {
    expect(await provision(['set-secret', '--data', '/dev/null'], 'made-up\n')).toMatchObject({
      code: 2,
      stderr:
        'The data folder /dev/null cannot be used: a file has the name of the folder. Move the file, or ' +
        'use another --data folder.\n',
    })
  })
})

describe('the provision CLI command in French', () => {
  const inFrench = (args: readonly string[], typed: string | null): Promise<Outcome> =>
    provision([...args, '--language', 'fr'], typed)

  test('prints outcomes and refusals in French', async () => {
    const data = temporaryFolder()
    const pin = ['set-pin', '--data', data, '--profile', EXAMPLE, '--staff']
    expect(await inFrench([...pin, 'lise'], '1234\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('NIP trop facile à deviner'),
    })
    expect(await inFrench([...pin, 'lise'], null)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Aucune valeur sur l’entrée standard'),
    })
    expect(await inFrench([...pin, 'nobody'], '4794\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nobody ne figure pas sous staff dans le profil'),
    })
    const set = await inFrench([...pin, 'lise'], '4794\n')
    expect(set).toEqual({
      code: 0,
      stdout: 'NIP de lise enregistré.\n',
      stderr: 'NIP (quatre à huit chiffres) : ',
    })
    const secret = await inFrench(['set-secret', '--data', data], 'made-up\n')
    expect(secret).toMatchObject({ code: 0, stdout: expect.stringContaining('Secret enregistré sur cette caisse') })
    const folder = lockDataFolder(data, null, null)
    try {
      const running = await inFrench(['set-secret', '--data', data], 'made-up\n')
      expect(running).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('est en marche. Arrêtez-le, puis recommencez.'),
      })
    } finally {
      folder.release()
    }
  })

  test('answers invalid input in French, even when only the language option is valid', async () => {
    expect(await inFrench(['--help'], null)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--language CODE   en-CA ou fr-CA'),
    })
    expect(await inFrench(['set-secret', '--colour'], null)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Option inconnue : --colour\./),
    })
    expect(await inFrench(['set-secret', '--data'], null)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--data exige une valeur/),
    })
    expect(await provision(['set-secret', '--data', 'x', '--language', 'de'], null)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--language must be en-CA or fr-CA, not de.'),
    })
  })
})

describe('a lane whose sealing key is in the key store', () => {
  test('gets a PIN under that key, and no second key appears in its folder', async () => {
    const data = temporaryFolder()
    expect(await setPin(data, '4794\n', { MILEPOST_SEAL_KEY: SEAL_KEY })).toMatchObject({ code: 0 })
    expect(await setPin(data, '39071\n', { MILEPOST_SEAL_KEY: SEAL_KEY })).toMatchObject({ code: 0 })
    expect(await signingIn(data, '39071', SEAL_KEY)).toBe('pin-change-required')
    expect(existsSync(join(data, 'seal.key'))).toBe(false)
  })

  test('refuses the CLI command set-pin without the key, and with an invalid key', async () => {
    const data = temporaryFolder()
    await setPin(data, '4794\n', { MILEPOST_SEAL_KEY: SEAL_KEY })
    expect(await setPin(data, '39071\n')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('seal.key is missing'),
    })
    expect(await setPin(data, '39071\n', { MILEPOST_SEAL_KEY: 'c2hvcnQ=' })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('is not 32 bytes in base64'),
    })
    expect(await signingIn(data, '4794', SEAL_KEY)).toBe('pin-change-required')
  })
})

test.each(['set-secret', 'set-pin', 'restore'])(
  'the CLI command %s asks to stop the running terminal first, and changes nothing',
  async (command) => {
    const data = temporaryFolder()
    const backup = join(data, 'backup.db')
    openDatabase(backup).close()
    const terminal = lockDataFolder(data, null, null)
    try {
      const more =
        { 'set-secret': [], 'set-pin': ['--profile', EXAMPLE, '--staff', 'lise'], restore: ['--from', backup] }[
          command
        ] ?? []
      const refused = await provision([command, '--data', data, ...more], '2468\n')
      expect(refused).toMatchObject({
        code: 3,
        stdout: '',
        stderr: expect.stringContaining('is running. Stop it, then run this again.'),
      })
      expect(refused.stderr).toContain('Nothing was changed.')
      expect(existsSync(join(data, 'client.secret'))).toBe(false)
    } finally {
      terminal.release()
    }
  },
)

test('a client secret from the environment is stored where the backend reads it', async () => {
  const data = temporaryFolder()
  expect(await provision(['set-secret', '--data', data], null, { MILEPOST_PROVISION_VALUE: 'made-up' })).toMatchObject({
    code: 0,
  })
  expect(readFileSync(join(data, 'client.secret'), 'utf8')).toBe('made-up\n')
})
