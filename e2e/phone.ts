import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test, type Browser, type Locator, type Page } from '@playwright/test'

/** A QR decoder that shares no code with the encoder of the lane. */
const ZBAR = '/usr/bin/zbarimg'
/** The reason why this machine cannot read QR codes; null where it can. */
export const cannotReadCodes = existsSync(ZBAR) ? null : 'not installed: zbarimg'

const PHONE_PIN = '2468'

/** Reads a displayed QR code from screenshots, like a camera; retries for ten seconds. */
export async function readCode(drawn: Locator): Promise<string> {
  const picture = test.info().outputPath('code.png')
  let read = ''
  await expect(async () => {
    // A screenshot of a moving page may cut the code: try the next screenshot.
    await drawn.screenshot({ path: picture })
    read = execFileSync(ZBAR, ['--quiet', '--raw', picture], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  }, 'the code is read from its pixels').toPass({ timeout: 10_000 })
  return read
}

/** The member's phone: a browser context that shares nothing with the lane's browser. */
export async function openPhone(browser: Browser, address: string): Promise<Page> {
  const own = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const phone = await own.newPage()
  await phone.goto(address)
  return phone
}

export async function signInOnPhone(phone: Page, collectorNumber: string): Promise<void> {
  await phone.getByLabel(/Collector number/).fill(collectorNumber)
  await phone.getByLabel(/PIN/).fill(PHONE_PIN)
  await phone.getByRole('button', { name: /Sign in/ }).tap()
}

export const refuseOnPhone = (phone: Page): Promise<void> => phone.getByRole('button', { name: /Refuse/ }).tap()
