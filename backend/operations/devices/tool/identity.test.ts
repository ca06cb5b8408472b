import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../core/http/testing.ts'
import { identityOf } from './identity.ts'

test('the stable names of a device path are listed; for a missing one, those of the connected devices', async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'serial ports have names by id on Linux only')
  const folder = temporaryFolder()
  const byId = join(folder, 'by-id')
  mkdirSync(byId)
  for (const port of ['ttyACM0', 'ttyUSB3']) writeFileSync(join(folder, port), '')
  symlinkSync('../ttyACM0', join(byId, 'usb-reader-if00'))
  symlinkSync('../ttyUSB3', join(byId, 'usb-scanner-if00'))

  expect(await identityOf(join(byId, 'usb-reader-if00'), byId)).toEqual({
    own: ['usb-reader-if00'],
    others: ['usb-scanner-if00'],
    stable: true,
  })
  expect(await identityOf(join(folder, 'ttyACM0'), byId)).toEqual({
    own: ['usb-reader-if00'],
    others: ['usb-scanner-if00'],
    stable: false,
  })
  expect(await identityOf(join(folder, 'ttyACM7'), byId)).toEqual({
    own: [],
    others: ['usb-reader-if00', 'usb-scanner-if00'],
    stable: false,
  })
  expect(await identityOf('/dev/none', join(folder, 'no-such'))).toEqual({ own: [], others: [], stable: false })
})
