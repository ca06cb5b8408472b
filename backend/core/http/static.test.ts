import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestServer, temporaryFolder, type TestServer } from './testing.ts'

async function start(): Promise<TestServer> {
  const folder = temporaryFolder()
  const root = join(folder, 'renderer')
  mkdirSync(join(root, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'outside')
  writeFileSync(
    join(root, 'index.html'),
    '<!doctype html><html><head><title>Milepost</title></head><body></body></html>',
  )
  writeFileSync(join(root, 'assets', 'main-abc123.js'), 'export {}')
  writeFileSync(join(root, 'icon.svg'), '<svg/>')
  writeFileSync(join(root, '.hidden'), 'hidden')
  return startTestServer({ staticRoot: root })
}

const navigation = { accept: 'text/html,application/xhtml+xml', origin: '', 'sec-fetch-site': 'none' }

test('the page is revalidated at each load, sets no cookie, and allows nothing from other sites', async () => {
  const server = await start()
  const page = await server.call('GET', '/', { headers: navigation })
  expect(page.status).toBe(200)
  expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(page.headers['cache-control']).toBe('no-cache')
  expect(page.headers['set-cookie']).toBeUndefined()
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toContain("default-src 'none'; script-src 'self';")
  expect(policy).not.toContain('unsafe')
  expect(page.headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
})

test('the nonce of the content security policy equals the nonce of the page, and is new each time', async () => {
  const server = await start()
  const nonceOf = async (): Promise<string | undefined> => {
    const page = await server.call('GET', '/', { headers: navigation })
    const nonce = /'nonce-([^']+)'/.exec(String(page.headers['content-security-policy']))?.[1]
    expect(page.text).toContain(`<meta name="csp-nonce" nonce="${nonce}">`)
    return nonce
  }
  expect(await nonceOf()).not.toBe(await nonceOf())
})

test('an inline script of the page is allowed by its hash, and no other inline script is', async () => {
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'index.html'),
    '<!doctype html><html><head><script>first()</script><script src="/x.js"></script></head><body></body></html>',
  )
  const server = await startTestServer({ staticRoot: folder })
  const policy = String((await server.call('GET', '/', { headers: navigation })).headers['content-security-policy'])
  expect(policy).toContain(`script-src 'self' 'sha256-${createHash('sha256').update('first()').digest('base64')}';`)
})

test('every address of a screen returns the page, so that a reload stays on its screen', async () => {
  const server = await start()
  for (const path of ['/manager/echo', '/customer', '/index.html']) {
    const page = await server.call('GET', path, { headers: navigation })
    expect(page.status, path).toBe(200)
    expect(page.text, path).toContain('<title>Milepost</title>')
  }
})

test('files with a hash in their name are cached permanently, and others are revalidated', async () => {
  const server = await start()
  const script = await server.call('GET', '/assets/main-abc123.js')
  expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(script.headers['content-type']).toContain('javascript')
  expect((await server.call('GET', '/icon.svg')).headers['cache-control']).toBe('no-cache')
})

test('a missing file, a hidden file, a path outside the folder and an unknown call are refused', async () => {
  const server = await start()
  for (const path of [
    '/assets/gone.js',
    '/.hidden',
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/api/nothing',
  ]) {
    const reply = await server.call('GET', path)
    expect(reply.status, path).toBeGreaterThanOrEqual(400)
    expect(reply.text, path).not.toMatch(/outside|hidden|<title>/)
  }
  expect((await server.call('GET', '/api/nothing', { headers: navigation })).json()).toMatchObject({
    code: 'not-found',
  })
})

test('an address that cannot be a file is answered with a problem, never an internal error', async () => {
  const server = await start()
  const long = 'a'.repeat(5_000)
  for (const path of [
    '/%2e%2e/',
    '/%2e%2e',
    '/..%2f',
    '/%2e/',
    '/icon.svg/',
    '/icon.svg/more',
    '/assets',
    '/assets/',
    '/%00',
    '/icon.svg%00',
    '/assets/%00.js',
    '/\\..\\secret.txt',
    '/..\\secret.txt',
    '/%5c..%5csecret.txt',
    `/${long}`,
    `/assets/${long}.js`,
    '/%ff',
    '/assets/%ff.js',
    '/%c0%ae%c0%ae/secret.txt',
    '/%',
    '/%zz',
    '//',
    '///etc/passwd',
    '/~',
    '/con',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/.hidden',
    '/.hidden/x',
    '/%2ehidden',
    '/?/../secret.txt',
    '/;',
    '/index.html',
  ]) {
    for (const headers of [{}, navigation]) {
      const reply = await server.call('GET', path, { headers })
      expect(reply.text, path).not.toContain('outside')
      // Some of these paths are also valid addresses of screens, which return the page.
      const page = reply.status === 200 && reply.text.includes('<title>Milepost')
      expect([path, page || (reply.status === 404 && reply.json()['code'] === 'not-found')]).toEqual([path, true])
    }
  }
  expect(server.logLines()).not.toContain('a call failed')
})

test('the API is served when the screens were not built, and the log reports that', async () => {
  const server = await startTestServer({ staticRoot: join(temporaryFolder(), 'not-built') })
  expect((await server.call('GET', '/', { headers: navigation })).json()).toMatchObject({ code: 'not-found' })
  expect((await server.call('GET', '/api/openapi.json')).status).toBe(200)
  expect(server.logLines()).toContain('the renderer is not built')
})
