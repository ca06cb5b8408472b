import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'

/** A decoder that shares nothing with what draws the codes. */
const ZBAR = '/usr/bin/zbarimg'
/** Why no code can be read on this machine; null where it can. */
export const cannotReadCodes = existsSync(ZBAR) ? null : 'not installed: zbarimg'

/** The PIN that the reference services give every collector. */
const PHONE_PIN = '2468'

/** What a camera before the screen reads of a QR code drawn there: it looks until it can, or for ten seconds. */
export async function readCode(drawn: Locator): Promise<string> {
  const picture = test.info().outputPath('code.png')
  let read = ''
  await expect(async () => {
    // A picture of a page that still moves cuts the code: a camera takes the next one.
    await drawn.screenshot({ path: picture })
    read = execFileSync(ZBAR, ['--quiet', '--raw', picture], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  }, 'the code is read from its pixels').toPass({ timeout: 10_000 })
  return read
}

/** The member's own phone: a browser of its own, which has nothing of the lane's. */
export async function openPhone(browser: Browser, address: string): Promise<Page> {
  const own = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const phone = await own.newPage()
  await phone.goto(address)
  return phone
}

/** Fills the provider's page in as the member does, and sends it. */
export async function signInOnPhone(phone: Page, collectorNumber: string): Promise<void> {
  await phone.getByLabel(/Collector number/).fill(collectorNumber)
  await phone.getByLabel(/PIN/).fill(PHONE_PIN)
  await phone.getByRole('button', { name: /Sign in/ }).tap()
}

/** The member does not want to sign in: no number and no PIN is asked for. */
export const refuseOnPhone = (phone: Page): Promise<void> => phone.getByRole('button', { name: /Refuse/ }).tap()
