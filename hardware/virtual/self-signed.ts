import { generateKeyPairSync, sign } from 'node:crypto'

export interface SelfSigned {
  readonly certificate: string
  readonly key: string
}

const ECDSA_WITH_SHA256 = '06082a8648ce3d040302'
const COMMON_NAME = '0603550403'
const [INTEGER, BIT_STRING, UTF8_STRING, UTC_TIME, SEQUENCE, SET, VERSION] = [0x02, 0x03, 0x0c, 0x17, 0x30, 0x31, 0xa0]

/** Encodes one element of DER (X.690): tag, length, contents. */
function der(tag: number, ...contents: Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

/**
 * Creates a certificate (X.509, RFC 5280) of this name for the far end of a virtual wire, because Node can only read
 * certificates. The certificate is valid from 2020 to 2049.
 */
export function selfSigned(commonName: string): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(SEQUENCE, Buffer.from(ECDSA_WITH_SHA256, 'hex'))
  const attribute = der(SEQUENCE, Buffer.from(COMMON_NAME, 'hex'), der(UTF8_STRING, Buffer.from(commonName)))
  const name = der(SEQUENCE, der(SET, attribute))
  const times = ['200101000000Z', '491231235959Z'].map((time) => der(UTC_TIME, Buffer.from(time)))
  const signed = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, ...times),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(BIT_STRING, Buffer.from([0]), sign('sha256', signed, privateKey))
  const lines =
    der(SEQUENCE, signed, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
