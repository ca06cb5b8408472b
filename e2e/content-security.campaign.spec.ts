import { once } from 'node:events'
import { createServer } from 'node:http'
import { pageSecurityProbes } from '../scripts/testing/page-security-probes.ts'
import type { PageSecurityFindings } from '../scripts/testing/page-security-probes.ts'
import { CASHIER } from './lane.ts'
import { expect, test } from './store.ts'

/** Tests the content security policy alone, in a Chromium without the shell's protection against injected scripts. */
test('the content security policy blocks injected scripts and connections to other addresses', async ({
  store,
  page,
}) => {
  let asked = 0
  const outside = createServer((_request, response) => {
    asked++
    response.setHeader('access-control-allow-origin', '*').end('outside')
  }).listen(0, '127.0.0.1')
  await once(outside, 'listening')
  const address = outside.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}/`
  try {
    expect(await (await fetch(url)).text(), 'the server would answer').toBe('outside')
    await page.goto(store.lane.launchUrl)
    await expect(page.getByRole('button', { name: CASHIER.name })).toBeVisible()
    const found = await page.evaluate<PageSecurityFindings>(pageSecurityProbes(url))
    expect(found).toMatchObject({
      foreignResources: [],
      fetched: 'refused',
      fetchedFile: 'refused',
      nodeNames: [],
      offered: [],
      injected: false,
      worked: 'refused',
      webviewMethods: 'undefined',
      embedded: 'about:blank',
    })
    expect(found.policy).toContain("default-src 'none'; script-src 'self'")
    expect(asked, 'only the test itself has called it').toBe(1)
  } finally {
    outside.close()
  }
})
