import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { WINDOW_HEADER } from '../contracts/core/window.ts'
import { CASHIER } from './lane.ts'
import { expect, test } from './store.ts'
import { reloadByLink } from './windows.ts'

async function otherServer(): Promise<{
  url: string
  requests: { path: string; content: string }[]
  server: Server
}> {
  const requests: { path: string; content: string }[] = []
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', content: JSON.stringify(request.headers) })
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>other</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, server }
}

/**
 * Script for a page that sends to another address by a frame, a form, an image and a fetch. Returns the directives of
 * its content security policy that blocked a request.
 */
const crossOriginRequests = (url: string): string => `(async (url) => {
  const refused = new Set()
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => refused.add(effectiveDirective))
  const frame = Object.assign(document.createElement('iframe'), { src: url + '/frame' })
  const form = Object.assign(document.createElement('form'), { action: url + '/form', method: 'post' })
  document.body.append(frame, form)
  new Image().src = url + '/image'
  form.submit()
  await fetch(url + '/fetch', { mode: 'no-cors', credentials: 'include' }).catch(() => null)
  while (refused.size < 4) await new Promise(requestAnimationFrame)
  return [...refused].sort()
})(${JSON.stringify(url)})`

test('a local launch page opens the window, which sends nothing to other servers', async ({ store, page, context }) => {
  const { lane } = store
  const { href } = new URL('../packages/supervisor/launcher/open-window.ts', import.meta.url)
  const writer = `import { writeLaunchPage } from ${JSON.stringify(href)}
    console.log(writeLaunchPage(process.argv[1], process.argv[2]).address)`
  const address = execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', writer, join(lane.data, 'browser', 'launch'), lane.launchUrl],
    { encoding: 'utf8' },
  ).trim()
  await page.goto(address)
  await expect(page.getByRole('button', { name: CASHIER.name })).toBeVisible()
  expect(page.url()).toBe(`${lane.url}/`)

  const other = await otherServer()
  try {
    const refusedDirectives = await page.evaluate<string[]>(crossOriginRequests(other.url))
    expect(refusedDirectives).toEqual(['connect-src', 'form-action', 'frame-src', 'img-src'])
    expect(other.requests).toEqual([])

    // When a person opens a page of the other server in the same browser, that server receives nothing from the window,
    // and the page gets no data of the lane.
    const stranger = await context.newPage()
    await stranger.goto(other.url)
    const answers = await stranger.evaluate(
      async ({ url, pin }) =>
        Promise.all([
          fetch(`${url}/api/staff`, { credentials: 'include' }).then(
            () => 'read',
            () => 'refused',
          ),
          fetch(`${url}/api/sign-in`, {
            method: 'POST',
            mode: 'no-cors',
            credentials: 'include',
            body: JSON.stringify({ staffId: 'alex', pin }),
          }).then(
            ({ type }) => type,
            () => 'refused',
          ),
        ]),
      { url: lane.url, pin: CASHIER.pin },
    )
    expect(answers).toEqual(['refused', 'refused'])
    for (const { content } of other.requests) expect(content).not.toMatch(/cookie|milepost/i)
    await reloadByLink(page, lane)
    await expect(page.getByRole('button', { name: CASHIER.name })).toBeVisible()
  } finally {
    other.server.closeAllConnections()
    other.server.close()
  }
})

/** Listens on the port of a killed lane, and forwards calls to the lane's new address when it has one. */
async function impostorOn(port: number) {
  const requests: { readonly path: string; readonly content: string }[] = []
  let lane: string | null = null
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      requests.push({ path, content: `${JSON.stringify(request.headers)} ${Buffer.concat(chunks).toString()}` })
      response.setHeader('content-type', 'application/json')
      const passed = lane === null ? null : fetch(lane + path, { headers: { origin: lane } }).then((one) => one.text())
      void Promise.resolve(passed ?? JSON.stringify({ run: 'r', proof: 'p' })).then((text) => response.end(text))
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    requests,
    forwardTo(url: string) {
      lane = url
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a program that takes the port of a crashed lane receives no secret; the lane starts on another port', async ({
  store,
  page: window,
}) => {
  const { lane } = store
  let answers = 0
  window.on('requestfinished', (request) => {
    if (request.url().endsWith('/api/terminal')) answers += 1
  })
  await window.goto(lane.launchUrl)
  await expect(window.getByRole('button', { name: CASHIER.name })).toBeVisible()
  // The sign-in screen must have no request in flight when the lane ends, because the browser would retry it: see the
  // scenario below.
  await expect.poll(() => answers, 'the sign-in screen requests twice').toBeGreaterThanOrEqual(2)
  await lane.kill()
  const impostor = await impostorOn(Number(new URL(lane.url).port))
  const signIn = async (): Promise<void> => {
    await window.getByRole('button', { name: CASHIER.name }).click()
    await window.keyboard.type(CASHIER.pin)
    await window.keyboard.press('Enter')
  }
  try {
    await signIn()
    await expect(window.getByText('Another program has this lane’s address.').first()).toBeVisible()
    await window.keyboard.press('Escape')
    // A request for a chunk of the page may reach the other program; it must not make the window reload the page from
    // there.
    await window.evaluate(`new Promise((resolve) => {
      const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/assets/part.css' })
      style.onerror = style.onload = resolve
      document.head.append(style)
    })`)

    await lane.restart()
    const { url, launchUrl } = lane.process.ready
    expect(url).not.toBe(lane.url)
    impostor.forwardTo(url)
    const asked = impostor.requests.length
    await expect.poll(() => impostor.requests.length, 'the window requests again').toBeGreaterThan(asked)
    await expect(window.getByText('Another program has this lane’s address.').first()).toBeVisible()
    // The other program may receive requests for chunks, but never for the page.
    const paths = impostor.requests.map(({ path }) => path.split('?')[0] ?? '')
    expect(new Set(paths.filter((path) => !path.startsWith('/assets/')))).toEqual(new Set(['/api/session/run']))
    for (const { content } of impostor.requests) {
      expect(content).not.toContain(CASHIER.pin)
      expect(content).not.toContain(WINDOW_HEADER)
    }
    await window.goto(launchUrl)
    await signIn()
    await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  } finally {
    impostor.close()
  }
})

test('after another program answered on a crashed lane’s port, sign-in shows that it has the lane’s address', async ({
  store,
  page,
}) => {
  const { lane } = store
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let questions = 0
  // The second request of the sign-in screen is in flight when the lane ends; the browser retries it.
  await page.route('**/api/terminal', async (route) => {
    questions += 1
    if (questions === 2) {
      asked.resolve()
      await answered.promise
    }
    await route.continue()
  })
  await page.goto(lane.launchUrl)
  await expect(page.getByRole('button', { name: CASHIER.name })).toBeVisible()
  await asked.promise
  await lane.kill()
  const impostor = await impostorOn(Number(new URL(lane.url).port))
  try {
    const forged = page.waitForResponse('**/api/terminal')
    answered.resolve()
    await (await forged).finished()
    expect(impostor.requests.map(({ path }) => path)).toContain('/api/terminal')
    await page.getByRole('button', { name: CASHIER.name }).click()
    await page.keyboard.type(CASHIER.pin)
    await page.keyboard.press('Enter')
    await expect(page.getByText('Another program has this lane’s address.').first()).toBeVisible()
  } finally {
    impostor.close()
  }
})
