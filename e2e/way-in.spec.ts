import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { CASHIER } from './lane.ts'
import { expect, test } from './store.ts'

/** A server of somebody else on another port of this machine; keeps the cookies that it was shown. */
async function otherServer(): Promise<{
  url: string
  requests: { path: string; cookie: string | undefined }[]
  server: Server
}> {
  const requests: { path: string; cookie: string | undefined }[] = []
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', cookie: request.headers.cookie })
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>other</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, server }
}

/**
 * Runs in the page: everything that a page can send to another address by itself. Which directives of its policy
 * refused.
 */
const everyWayOut = (url: string): string => `(async (url) => {
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

test('a window is sent in by a file of its owner’s', async ({ store, page, context }) => {
  const { lane } = store
  const { href } = new URL('../launcher/window/launch-page.ts', import.meta.url)
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
    const refusedWays = await page.evaluate<string[]>(everyWayOut(other.url))
    expect(refusedWays).toEqual(['connect-src', 'form-action', 'frame-src', 'img-src'])
    expect(other.requests).toEqual([])

    // In the same browser a person opens the other server: it is shown the cookie, and no page of it gets anything by
    // it.
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
    await page.reload()
    await expect(page.getByRole('button', { name: CASHIER.name })).toBeVisible()
  } finally {
    other.server.closeAllConnections()
    other.server.close()
  }
})
