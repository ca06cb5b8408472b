import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isOwnAddress } from './forward.ts'
import { dataHome, defaultDataFolder } from '../places.ts'
import { readShellOptions } from './shell-options.ts'

describe('the command line of the shell', () => {
  it('finds the shell’s own arguments among Chromium’s switches', () => {
    expect(
      readShellOptions(
        ['--no-sandbox', '--inspect=0', 'build/app', '--profile', 'stores/x.yaml', '--lane', '02', '--kiosk'],
        false,
      ),
    ).toEqual({ profile: path.resolve('stores/x.yaml'), data: null, lane: '02', kiosk: true, provision: null })
  })
  it('rejects the option --profile in a package', () => {
    expect(() => readShellOptions(['--profile', 'other.yaml'], true)).toThrow('has the profile of its store')
    expect(readShellOptions(['--data', '/lane'], true)).toMatchObject({ profile: null, data: path.resolve('/lane') })
  })
  it('accepts one task of the installer at a time', () => {
    expect(readShellOptions(['--provision-secret'], true).provision).toEqual({ kind: 'secret' })
    expect(readShellOptions(['--provision-mail-password'], true).provision).toEqual({ kind: 'mail-password' })
    expect(readShellOptions(['--no-sandbox', '--set-pin', 'lise', '--lane', '02'], true)).toMatchObject({
      lane: '02',
      provision: { kind: 'pin', staffId: 'lise' },
    })
    expect(() => readShellOptions(['--set-pin', 'lise', '--provision-secret'], true)).toThrow('Give one of them')
    expect(readShellOptions(['--restore', 'usb/daily.db'], true).provision).toEqual({
      kind: 'restore',
      backup: path.resolve('usb/daily.db'),
    })
    expect(() => readShellOptions(['--restore', 'a.db', '--set-pin', 'lise'], true)).toThrow('Give one of them')
    expect(readShellOptions(['--doctor'], true).provision).toEqual({ kind: 'doctor' })
    expect(readShellOptions(['--support-file', 'usb/support.json.gz'], true).provision).toEqual({
      kind: 'support',
      file: path.resolve('usb/support.json.gz'),
    })
    // An enrolment code in the arguments is in the process list; without one, the program asks for the code.
    for (const args of [['--enrol'], ['--enrol', '-'], ['--enrol', '--service=store.example']])
      expect(readShellOptions(args, true).provision).toMatchObject({ kind: 'enrol', code: null })
    expect(() => readShellOptions(['--enrol='], true)).toThrow('--enrol needs a value.')
    expect(() => readShellOptions(['--set-pin'], true)).toThrow('--set-pin needs a value.')
  })
  it('requires a value for each option that has one', () => {
    expect(() => readShellOptions(['--profile', 'a.yaml', '--data', ''], false)).toThrow('--data needs a value.')
    expect(() => readShellOptions([], false)).toThrow('--profile is missing.')
  })
  it('accepts a two-digit lane but no path to another folder, and a start with invalid options is not retried', () => {
    for (const lane of ['2', '../../x', '02/..', ' 02', 'O2'])
      expect(() => readShellOptions(['--lane', lane], true), lane).toThrow('--lane needs the two digits of a lane')
    expect(() => readShellOptions(['--lane', '2'], true)).toThrow(expect.objectContaining({ exitCode: 2 }))
  })
  it('distinguishes the shell’s own address from similar ones', () => {
    expect(isOwnAddress('app://milepost/customer?x=1#y')).toBe(true)
    for (const other of [
      'app://milepost.example/',
      'app://other/',
      'https://milepost/',
      'file:///milepost',
      'about:blank',
      'milepost',
      'app://user@other/milepost',
    ])
      expect(isOwnAddress(other)).toBe(false)
  })
})

describe('the data folder of a lane', () => {
  it('is in the system’s folder for the data of a user', () => {
    expect(dataHome('linux', {}, '/home/lise')).toBe('/home/lise/.local/share')
    expect(dataHome('linux', { XDG_DATA_HOME: '/srv/data' }, '/home/lise')).toBe('/srv/data')
    expect(dataHome('linux', { XDG_DATA_HOME: 'relative' }, '/home/lise')).toBe('/home/lise/.local/share')
    expect(dataHome('darwin', {}, '/Users/lise')).toBe('/Users/lise/Library/Application Support')
    expect(dataHome('win32', { LOCALAPPDATA: 'C:\\Users\\lise\\AppData\\Local' }, 'C:\\Users\\lise')).toBe(
      'C:\\Users\\lise\\AppData\\Local',
    )
  })
  it('is named after store and lane, and no store id leads out of the system’s folder', () => {
    expect(defaultDataFolder('4417', '01', '/data')).toBe('/data/milepost/4417-01')
    expect(defaultDataFolder('../../etc', '01', '/data')).toBe('/data/milepost/.._.._etc-01')
    expect(defaultDataFolder('4417', '../../etc', '/data')).toBe('/data/milepost/4417-.._.._etc')
  })
})
