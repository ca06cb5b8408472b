import { randomBytes, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { expect, test } from 'vitest'
import { makeLaneKey } from '../../../packages/delivery/enrolment/sealing.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { writeDevice } from '../../../packages/lab/testing/enrolled.ts'
import { createLaneStore } from './lane-store.ts'

const [PINNED = '', AUTHORITY = ''] = rootCertificates.slice(0, 2).map((pem) => new X509Certificate(pem).toString())

test.each([
  ['no certificate', 'nothing'],
  ['an empty text', ''],
  ['a certificate that broke off', AUTHORITY.slice(0, AUTHORITY.length / 2)],
])(
  'an authority of the store server that is %s is refused with the remedy, and the lane’s trust stays as it was',
  (_, pem) => {
    const options = { dataFolder: temporaryFolder(), masterKey: randomBytes(32), keyStore: false }
    const place = { url: 'https://store.example:8443', ca: PINNED, token: 'T', key: makeLaneKey() }
    writeDevice(options.dataFolder, options.masterKey, place)
    const lane = createLaneStore(options)
    expect(() => lane.storeAuthority(pem)).toThrow('check authority.crt in the data folder of the server')
    expect(lane.device()?.storeServer?.ca).toBe(PINNED)
    expect(lane.storeAuthority(AUTHORITY)).toContain(AUTHORITY.trim())
    expect(lane.device()?.storeServer?.ca).toContain(PINNED.trim())
  },
)
