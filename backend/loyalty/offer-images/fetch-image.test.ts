import { expect, test } from 'vitest'
import { type FetchedImage, createFetchImage, isPublicAddress, sourceOf } from './fetch-image.ts'
import { png, servePictures } from './pictures.fixture.ts'

const never = new AbortController().signal

function fetchFrom(service: string, url: string, more: { timeoutMs?: number; hosts?: string[] } = {}) {
  const fetchImage = createFetchImage({ service, hosts: more.hosts ?? [], plainHttp: true }, () => false, {
    maxBytes: 100,
    timeoutMs: more.timeoutMs ?? 10_000,
  })
  return fetchImage(url, never)
}

const reasonOf = (fetched: FetchedImage): string =>
  fetched.kind === 'image' ? 'image' : `${fetched.kind}: ${fetched.reason}`

test('a picture of an offer has the type of its bytes, regardless of the type that the server sends', async () => {
  const server = await servePictures((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(png('a'))
  })
  expect(await fetchFrom(server.url, `${server.url}/a.jpg`)).toEqual({
    kind: 'image',
    bytes: png('a'),
    type: 'image/png',
  })
})

test('an offer picture that is too large, of an unknown type or missing is refused', async () => {
  const server = await servePictures((request, response) => {
    if (request.url === '/large') {
      response.writeHead(200)
      const more = (): void => {
        if (!response.destroyed) response.write(png('x'.repeat(64)), more)
      }
      more()
    } else if (request.url === '/page') response.end('<!doctype html><script>alert(1)</script>')
    else response.writeHead(404).end()
  })
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/large`))).toBe('refused: larger than 100 bytes')
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/page`))).toBe('refused: neither PNG, JPEG nor WebP')
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/gone`))).toBe('refused: HTTP 404')
})

test('a slow, broken or unreachable picture server is reported as unavailable, not as refused', async () => {
  const server = await servePictures((request, response) => {
    if (request.url === '/slow') response.writeHead(200).write(png('begun'))
    else if (request.url === '/broken') response.writeHead(503).end()
    else response.writeHead(200, { 'content-length': '90' }).write(png('cut'), () => response.destroy())
  })
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/slow`, { timeoutMs: 200 }))).toBe(
    'unavailable: no answer in time',
  )
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/broken`))).toBe('unavailable: HTTP 503')
  expect((await fetchFrom(server.url, `${server.url}/cut`)).kind).toBe('unavailable')
  await server.close()
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/a`))).toBe('unavailable: ECONNREFUSED')
})

test('redirects of a picture are followed only within its host, at most three times', async () => {
  const other = await servePictures((_request, response) => {
    response.end(png('of another'))
  })
  const server = await servePictures((request, response) => {
    const to = { '/moved': '/here', '/elsewhere': `${other.url}/a`, '/round': '/round' }[request.url ?? '']
    if (to) response.writeHead(302, { location: to }).end()
    else response.end(png('here'))
  })
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/moved`))).toBe('image')
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/elsewhere`))).toBe('refused: a redirect to another host')
  expect(other.asked).toEqual([])
  expect(reasonOf(await fetchFrom(server.url, `${server.url}/round`))).toBe('refused: too many redirects')
  expect(server.asked.filter((path) => path === '/round')).toHaveLength(4)
})

test('offer pictures are fetched only from the offer service, or over HTTPS from hosts of the profile', () => {
  const sources = { service: 'https://offers.example/v1', hosts: ['images.example', '10.0.0.9'], plainHttp: false }
  for (const [address, source] of [
    ['https://offers.example/a.png', 'service'],
    ['https://images.example/a.png', 'other'],
    ['https://images.example:8443/a.png', null],
    ['http://images.example/a.png', null],
    ['http://offers.example/a.png', null],
    ['https://other.example/a.png', null],
    ['https://somebody:secret@images.example/a.png', null],
    ['https://10.0.0.9/a.png', null],
    ['file:///etc/passwd', null],
    ['data:image/png;base64,AAAA', null],
    ['a.png', null],
  ] as const)
    expect([address, sourceOf(address, sources)]).toEqual([address, source])
  // The store's own offer service may be within the store's private network.
  expect(sourceOf('https://10.0.0.9/a.png', { ...sources, service: 'https://10.0.0.9' })).toBe('service')
})

test('no picture is fetched from a host name that resolves to a private network', async () => {
  const fetched = await fetchFrom('https://offers.example', 'https://localhost/a.png', { hosts: ['localhost'] })
  expect(reasonOf(fetched)).toBe('refused: the name leads into a private network')
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    '::ffff:192.168.1.1',
    'fd00::1',
    'fe80::1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
  ])
    expect(isPublicAddress(address), address).toBe(false)
  for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111']) expect(isPublicAddress(address)).toBe(true)
})
