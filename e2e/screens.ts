import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import build from './build.ts'
import { SERVICES } from './central.ts'
import { startCentral } from '../packages/lab/rig/central.ts'
import { CAISSIERE, CASHIER, GERANTE, MANAGER, startLane } from './lane.ts'
import config from './playwright.config.ts'
import { openPaperPrinter } from './paper.ts'
import { openWire } from './pty.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, track2 } from './wire.ts'
import { openStorePage } from './store-page.ts'

/**
 * Part of `npm run screens`: takes pictures of the screens of a real sale, with real processes, a browser and devices
 * on their wires. All pictures go to build/screens; those that the documents show are replaced in docs/images.
 */
const OUT = 'build/screens'
const SHOWN = 'docs/images'
const BASKET = ['0628451101000', '0628451102533', '0628451104407', '0628451104407', '0628451105251', '0628451106272']

const LANGUAGES = [
  {
    code: 'en',
    cashier: CASHIER,
    texts: {
      ready: 'Ready for the next customer',
      other: 'Other amount',
      cashPad: 'Cash',
      done: 'Sale complete',
      echo: 'Check connection',
      offers: 'Offers',
    },
  },
  {
    code: 'fr',
    cashier: CAISSIERE,
    texts: {
      ready: 'Prêt pour le prochain client',
      other: 'Autre montant',
      cashPad: 'Comptant',
      done: 'Vente terminée',
      echo: 'Vérifier la connexion',
      offers: 'Offres',
    },
  },
] as const

async function run(): Promise<void> {
  await build()
  const folder = await mkdtemp(join(tmpdir(), 'milepost-screens-'))
  await mkdir(OUT, { recursive: true })
  await mkdir(SHOWN, { recursive: true })
  const [central, reader, scanner, printer] = await Promise.all([
    startCentral({ folder: join(folder, 'central'), program: SERVICES, scheme: 'https' }),
    openWire(join(folder, 'reader')),
    openWire(join(folder, 'scanner')),
    openPaperPrinter(),
  ])
  const lane = await startLane(join(folder, 'lane'), central, {
    cardReader: reader.path,
    scanner: scanner.path,
    printerPort: printer.port,
  })
  const browser = await chromium.launch(config.use?.launchOptions ?? {})
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(lane.launchUrl)
    for (const language of LANGUAGES) await sell(page, language, { reader, scanner })
    await manage(page)
  } finally {
    await browser.close()
    await lane.stop()
    await Promise.all([central.stop(), reader.close(), scanner.close(), printer.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

async function shoot(page: Page, name: string): Promise<void> {
  // Wait until transitions have ended and fonts are loaded before taking the picture.
  await page.evaluate(
    'Promise.all([document.fonts.ready, ...document.getAnimations().map((animation) => ' +
      'animation.finished.catch(() => undefined))]).then(() => undefined)',
  )
  await page.screenshot({ path: join(OUT, `${name}.png`) })
  if (name === 'en-sale') await page.screenshot({ path: join(SHOWN, 'sale.png') })
  process.stdout.write(`${join(OUT, `${name}.png`)}\n`)
}

async function sell(
  page: Page,
  { code, cashier, texts }: (typeof LANGUAGES)[number],
  wires: { reader: { send(bytes: string): Promise<void> }; scanner: { send(bytes: string): Promise<void> } },
): Promise<void> {
  await page.getByRole('button', { name: cashier.name }).waitFor()
  const french = page.getByRole('button', { name: 'Français' })
  if (code === 'fr' && (await french.isVisible())) await french.click()
  await page.getByRole('button', { name: cashier.name }).click()
  await page.keyboard.type('12')
  await shoot(page, `${code}-sign-in`)
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await page.keyboard.type(cashier.pin)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: texts.ready }).waitFor()
  await shoot(page, `${code}-ready`)
  for (const item of BASKET) await wires.scanner.send(ean13(item))
  await page.getByRole('row').nth(4).waitFor()
  await wires.reader.send(track2(COLLECTORS.fine))
  await page.getByRole('button', { name: texts.other }).waitFor()
  await page
    .getByText(/^\d+ mil(l?es)$/)
    .first()
    .waitFor()
  await shoot(page, `${code}-sale`)
  await page.getByRole('button', { name: texts.other }).click()
  await page.keyboard.press('ArrowDown')
  await shoot(page, `${code}-redeem`)
  await page.keyboard.press('Enter')
  await page
    .getByText(/^\d{10,}$/)
    .first()
    .waitFor()
  await shoot(page, `${code}-redeemed`)
  await page.keyboard.press('F6')
  await page.getByRole('region', { name: texts.cashPad }).waitFor()
  await page.keyboard.type('10000')
  await shoot(page, `${code}-tender`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: texts.done }).waitFor()
  await page.getByRole('article').waitFor()
  await page.locator('button[data-focused]').waitFor()
  await shoot(page, `${code}-receipt`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: texts.ready }).waitFor()
  await page.keyboard.press('F8')
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await shoot(page, `${code}-offers`)
  await page.keyboard.press('F1')
  await page.keyboard.press('Shift+F12')
}

async function manage(page: Page): Promise<void> {
  for (const [code, manager, [group, name], run] of [
    ['en', MANAGER, ['Lane', 'Connection'], 'Check connection'],
    ['fr', GERANTE, ['Caisse', 'Connexion'], 'Vérifier la connexion'],
  ] as const) {
    await signIn(page, manager)
    await page.getByRole('heading', { name: /Ready for the next customer|Prêt pour le prochain client/ }).waitFor()
    await page.keyboard.press('Shift+F1')
    await openStorePage(page, group, name)
    await page.getByRole('button', { name: run }).click()
    await page.getByText(/^(All steps passed|Tout fonctionne)\./).waitFor()
    await shoot(page, `${code}-echo`)
    await page.keyboard.press('F1')
    await page.keyboard.press('Shift+F12')
  }
}

await run()
