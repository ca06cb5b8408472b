import { expect, onTestFinished, test } from 'vitest'
import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeLaneKey } from '../../../packages/delivery/enrolment/sealing.ts'
import { getBytes } from '../../../packages/delivery/updates/get.ts'
import { hasOpenssl, openAuthority } from '../connection/certificates.fixture.ts'
import { updateSource } from './update-source.ts'

const device = {
  service: 'https://store.example:8443',
  certificate: null,
  storeServer: { url: 'https://server.example', ca: null },
  token: 'made-up-token',
  key: makeLaneKey(),
}
const authorization = 'Bearer made-up-token'

test('the lane’s token is sent to the server that issued it and to the store server', () => {
  const base = 'https://store.example:8443/updates/'
  const call = { method: 'GET', path: '/updates/channel.signed', body: '' }
  for (const url of [base, 'https://server.example/u/'])
    expect(updateSource(url, device)?.prover?.headers(call)).toMatchObject({ authorization })
  expect(updateSource(base, device)).toMatchObject({ base })
})

test.each([
  ['another server', 'https://updates.example/updates/'],
  ['another port', 'https://store.example/updates/'],
  ['a name that begins alike', 'https://store.example.evil.example:8443/updates/'],
  ['an address without TLS', 'http://store.example:8443/updates/'],
])('the lane’s token is not sent to %s', (_case, base) => {
  expect(updateSource(base, device)).toEqual({ base })
})

test('a lane without enrolment sends no token, and a lane without a release address sends no request', () => {
  expect(updateSource('https://store.example:8443/updates/', null)).toEqual({
    base: 'https://store.example:8443/updates/',
  })
  expect(updateSource(undefined, device)).toBeNull()
})

test.skipIf(!hasOpenssl)(
  'only the release server’s certificate from the enrolment, or one of a known authority, is trusted',
  async () => {
    const authority = openAuthority()
    const { cert, key } = authority.issue('localhost', -1, 90)
    const requests: (string | undefined)[] = []
    const server = createServer({ cert, key }, ({ headers }, response) => {
      requests.push(headers.authorization)
      response.end('a channel')
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const service = `https://localhost:${(server.address() as AddressInfo).port}`
    const get = async (change: Partial<typeof known>): Promise<string> => {
      const source = updateSource(`${service}/updates/`, { ...known, ...change })
      if (source === null) throw new Error('nowhere')
      return (await getBytes(source, 'channel.signed', 100)).toString()
    }
    const known = { ...device, service, certificate: fingerprintOf(cert) as string | null, storeServer: null as Store }
    expect(await get({})).toBe('a channel')
    expect(await get({ service: 'https://other.example', storeServer: { url: service, ca: authority.root } })).toBe(
      'a channel',
    )
    expect(requests).toEqual([authorization, authorization])
    await expect(get({ certificate: 'a'.repeat(64) })).rejects.toThrow('channel.signed: not reached')
    await expect(get({ certificate: null })).rejects.toThrow('channel.signed')
    expect(requests).toHaveLength(2)
    // A server that has a certificate of a system's authority by now is trusted like any other.
    const authorities = getCACertificates('default')
    setDefaultCACertificates([...authorities, authority.root])
    onTestFinished(() => setDefaultCACertificates(authorities))
    expect(await get({ certificate: 'a'.repeat(64) })).toBe('a channel')
  },
)

type Store = { readonly url: string; readonly ca: string | null } | null
const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()
