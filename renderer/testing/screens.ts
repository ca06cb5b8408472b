import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type Page } from '@playwright/test'
import type { Sale } from '../../contracts/api/sales.ts'
import { ALEX, FACTS, MARIE, SAM } from './fixture-facts.ts'
import { startFixtureTerminal, type FixtureTerminal } from './fixture-terminal.ts'
import { basket, CHOICE, line, member, redemption, saleOf } from './sales.ts'

/** Pictures of every screen state, from the built screens: node renderer/testing/screens.ts [--built FOLDER] [--into FOLDER] [name…] */
const { values: { built, into: folder }, positionals: only } = parseArgs({
  allowPositionals: true,
  options: {
    built: { type: 'string', default: fileURLToPath(new URL('../../build/renderer', import.meta.url)) },
    into: { type: 'string', default: fileURLToPath(new URL('../../build/screens', import.meta.url)) },
  },
})
const SIZES = [{ width: 1024, height: 768 }, { width: 1280, height: 800 }, { width: 1920, height: 1080 }] as const
const THEMES = ['light', 'dark'] as const
const PEOPLE = [ALEX, MARIE]

const withMember = (over: Partial<Sale> = {}): Sale => saleOf(basket(), { member: member(), milesPreview: 45, redemptionChoice: CHOICE, ...(over as object) })
const miles = { kind: 'miles', amountCents: 40_00, roundingCents: 0, tenderedCents: 40_00, changeCents: 0, reference: '8842 0017 3351' } as const
const cash = { kind: 'cash', amountCents: 5_31, roundingCents: -1, tenderedCents: 20_00, changeCents: 14_70, reference: null } as const

interface Scene {
  readonly sale?: Sale
  readonly path?: string
  readonly person?: object | null
  readonly act?: (page: Page, terminal: FixtureTerminal) => Promise<void>
  readonly set?: (terminal: FixtureTerminal) => void
}

const press = (...keys: string[]) => async (page: Page): Promise<void> => { for (const key of keys) await page.keyboard.press(key) }

async function openEntry(page: Page, sale: RegExp): Promise<void> {
  await page.getByRole('button', { name: sale }).click()
  await page.getByRole('dialog').getByRole('definition').first().waitFor()
}

const SCENES: Record<string, Scene> = {
  'sign-in': { person: null, act: async (page) => { await page.getByRole('button', { name: /Alex/ }).click(); await page.keyboard.type('12') } },
  'sale-empty': {},
  'sale': { sale: withMember() },
  'sale-no-member': { sale: saleOf([line(1), line(2)]) },
  'sale-pending': { sale: saleOf(basket(), { member: member({ state: 'pending', availableCents: null, availableCashMiles: null }) }) },
  'sale-reason': { sale: saleOf(basket(), { milesPreview: 45, member: member({ availableCents: null, availableCashMiles: null, noRedemption: 'suppressed' }) }) },
  'sale-long': { sale: saleOf(Array.from({ length: 24 }, (_, index) => line(index + 1, { quantity: 12 })), { member: member(), milesPreview: 1_450 }) },
  'search': { sale: withMember(), act: async (page) => { await page.keyboard.press('F2'); await page.keyboard.type('co'); await page.getByRole('option').first().waitFor() } },
  'quick-keys': { act: async (page) => { await page.keyboard.press('Shift+F2'); await page.getByRole('option').first().waitFor() } },
  'hold': { sale: withMember(), act: press('F5') },
  'keyed': { act: press('Shift+F3', '8', '0', '0', '0', '0', '0') },
  'earning': { sale: withMember({ earningOffers: [{ code: 'NRCOFFEE', description: null, miles: 25, items: [{ 'en-CA': 'Coffee beans 340 g', 'fr-CA': 'Café en grains 340 g' }] }, { code: 'NRBASE', description: 'Base offer', miles: 20, items: [] }] as unknown as Sale['earningOffers'] }), act: press('Shift+F6') },
  'switch-cashier': { sale: withMember(), act: async (page) => { await page.keyboard.press('F12'); await page.getByRole('dialog').getByRole('button', { name: /Sam/ }).click() } },
  'held': { path: '/manager/held', set: ({ state }) => { state.answers['GET /api/sales/held'] = { status: 200, body: { sales: [1, 2].map((n) => ({ id: `N10101000000${n}K7QZ`, version: 4, name: n === 1 ? 'Blue coat' : '1', heldAt: new Date(Date.now() - n * 540_000).toISOString(), itemCount: n * 3, totalCents: n * 2_345, memberLast4: n === 1 ? '0011' : null, cashier: ALEX.name })) } } } },
  'quantity': { sale: withMember(), act: press('F3') },
  'cancel': { sale: withMember(), act: press('Shift+Delete') },
  'redeem': { sale: withMember(), act: press('Shift+F4', 'ArrowDown') },
  'redeem-sending': { sale: withMember({ redemption: redemption({ state: 'intent', outcome: 'sending', confirmationNumber: null }) as Sale['redemption'] }) },
  'redeem-retrying': { sale: withMember({ redemption: redemption({ state: 'retry', outcome: 'retrying', confirmationNumber: null }) as Sale['redemption'] }) },
  'redeem-approved': { sale: withMember({ redemption: redemption() as Sale['redemption'], redemptionChoice: null, tenders: [miles] as unknown as Sale['tenders'] }) },
  'redeem-not-applied': { sale: withMember({ redemption: redemption({ state: 'escalated', outcome: 'not-applied', confirmationNumber: null, responseCode: null }) as Sale['redemption'], redemptionChoice: null }) },
  'redeem-declined': { sale: withMember({ redemption: redemption({ state: 'declined', outcome: 'insufficient-miles', confirmationNumber: null, responseCode: '0051' }) as Sale['redemption'], redemptionChoice: null }) },
  'after-redeem': { sale: withMember({ redemption: redemption() as Sale['redemption'], redemptionChoice: null, tenders: [miles] as unknown as Sale['tenders'] }), act: press('Enter') },
  'cash': { sale: withMember(), act: press('F6', '5', '0', '0', '0') },
  'card': { sale: withMember(), act: press('F7') },
  'after': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'sale-changed', cause: 'tender', sale: { ...withMember({ redemption: redemption() as Sale['redemption'], tenders: [miles, cash] as unknown as Sale['tenders'] }), version: 9, revision: 9, state: 'completed', issuance: { state: 'queued', refusal: null, miles: 45 as never } } })
      await page.getByRole('article').waitFor()
      await page.locator('button[data-focused]').waitFor()
    },
  },
  'after-notice': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'sale-changed', cause: 'tender', sale: { ...withMember({ tenders: [cash] as unknown as Sale['tenders'] }), version: 9, revision: 9, state: 'completed' } })
      await page.getByRole('article').waitFor()
      terminal.push({ type: 'print-job', paper: 'sale', saleId: '01K9TRAINLANE01' as never, state: 'failed', copy: 0, totalCents: 45_31 as never, notOnPaper: 1 })
      await page.getByRole('alert').filter({ hasText: /receipt|reçu/ }).waitFor()
    },
  },
  'cancelled': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'sale-changed', cause: 'command', sale: { ...withMember({ tenders: [miles, cash] as unknown as Sale['tenders'], redemption: redemption({ state: 'reversing', outcome: 'reversing' }) as Sale['redemption'] }), version: 9, revision: 9, state: 'cancelled' } })
      await page.getByRole('heading', { name: /Sale cancelled|Vente annulée/ }).waitFor()
    },
  },
  'training': { sale: withMember(), act: async (page) => { await page.keyboard.press('F10'); await page.getByRole('complementary').getByRole('listitem').nth(3).waitFor() } },
  'shortcuts': { sale: withMember(), act: press('?') },
  'notice': { sale: withMember(), act: async (page, terminal) => { terminal.push({ type: 'scan-unknown', code: '0999999999993' }); terminal.push({ type: 'card-refused', reason: 'not-a-program-card' }); await page.getByRole('alert').nth(1).waitFor() } },
  'status': { sale: withMember(), act: async (page) => { await page.getByRole('button', { name: /Printer|Imprimante/ }).click(); await page.getByRole('dialog').waitFor() } },
  'earlier-sales': { path: '/manager/receipts', set: ({ state }) => { state.notOnPaper = 2 } },
  'earlier-owed': {
    path: '/manager/receipts',
    set: ({ state }) => {
      state.notOnPaper = 12
      state.answers['GET /api/devices'] = { status: 200, body: { devices: ['card-reader', 'scanner', 'printer'].map((role) => ({ role, state: 'ready', detail: null })) } }
    },
    act: async (page) => { await page.getByRole('button', { name: /^(Printer|Imprimante)/ }).click(); await page.getByRole('dialog').waitFor() },
  },
  'staff': { path: '/manager/staff', person: SAM },
  'sale-empty-last': { set: ({ state }) => { state.answers['GET /api/receipts'] = { status: 200, body: { lastSaleId: 'N1010100000038K7Q2', notOnPaper: 0 } } }, act: async (page) => { await page.getByRole('button', { name: /F11|Print last|Réimprimer/ }).first().waitFor() } },
  'sale-free': { sale: saleOf([line(1, { unitPriceCents: 0, amountCents: 0 })], { member: member() }) },
  'sale-no-earning': { sale: saleOf(basket(), { member: member({ availableCents: null, availableCashMiles: null, noRedemption: 'collector-invalid', noEarning: 'collector-invalid' }) }) },
  'sale-no-earning-only': { sale: saleOf(basket(), { member: member({ availableCents: null, availableCashMiles: null, noRedemption: 'centre-unreachable', noEarning: 'account-inactive', state: 'unknown' }) }) },
  'after-no-earning': {
    sale: withMember(),
    act: async (page, terminal) => {
      terminal.push({ type: 'sale-changed', cause: 'tender', sale: { ...withMember({ tenders: [cash] as unknown as Sale['tenders'] }), version: 9, revision: 9, state: 'completed', issuance: { state: 'queued', miles: null, refusal: 'collector-invalid' } } })
      await page.getByRole('article').waitFor()
    },
  },
  'earlier-none': { path: '/manager/receipts', set: ({ state }) => { state.answers['GET /api/sales/earlier'] = { status: 200, body: { sales: [], next: null } } } },
  'echo': { path: '/manager/echo', person: SAM },
  'queue': { path: '/manager/queue', person: SAM },
  'queue-entry': { path: '/manager/queue', person: SAM, act: (page) => openEntry(page, /419HRD/) },
  'queue-resolve': { path: '/manager/queue', person: SAM, act: async (page) => { await openEntry(page, /419HRD/); await page.getByRole('button', { name: /Resolve|Régler/ }).click(); await page.getByRole('radio').first().waitFor() } },
  'queue-correct': { path: '/manager/queue', person: SAM, act: async (page) => { await openEntry(page, /427QZK/); await page.getByRole('button', { name: /Correct|Corriger/ }).click(); await page.getByRole('radio').nth(1).click({ force: true }) } },
  'queue-empty': { path: '/manager/queue', person: SAM, set: ({ state }) => { state.answers['GET /api/queue'] = { status: 200, body: { summary: { waiting: 0, sending: 0, attention: 0, centre: 'online' }, entries: [] } } } },
  'reconciliation': { path: '/manager/reconciliation', person: SAM },
  'reconciliation-empty': { path: '/manager/reconciliation', person: SAM, set: ({ state }) => { state.answers['GET /api/reconciliation/days'] = { status: 200, body: { days: [] } } } },
  'reconciliation-day': { path: '/manager/reconciliation', person: SAM, act: async (page) => { await page.getByRole('button', { name: /20 novembre|November 20/ }).click(); await page.getByRole('dialog').getByRole('table').waitFor() } },
  'reconciliation-made': { path: '/manager/reconciliation', person: SAM, act: async (page) => { await page.getByRole('button', { name: /20 novembre|November 20/ }).click(); await page.getByRole('button', { name: /original/ }).click(); await page.getByRole('button', { name: /CSV/ }).waitFor() } },
  'devices': { path: '/manager/devices', person: SAM },
  'offers': { path: '/manager/offers' },
  'customer': { path: '/customer', sale: withMember() },
  'customer-idle': { path: '/customer' },
  'stopped': { set: ({ state }) => { state.stopped = 'storage-failed' } },
  'production': { sale: withMember(), set: ({ state }) => { state.mode = 'production'; state.centre = 'offline' } },
}

const terminal = await startFixtureTerminal(built, FACTS)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu'] })
mkdirSync(folder, { recursive: true })
let faults = 0
for (const size of SIZES) for (const theme of THEMES) for (const person of PEOPLE) {
  const context = await browser.newContext({ viewport: size, colorScheme: theme, locale: person.locale, reducedMotion: 'reduce' })
  for (const [name, scene] of Object.entries(SCENES)) {
    if (only.length > 0 && !only.includes(name)) continue
    const page = await context.newPage()
    const who = scene.person === undefined ? person : scene.person && { ...scene.person, locale: person.locale }
    Object.assign(terminal.state, { signedIn: who, sale: scene.sale ?? null, mode: 'training', stopped: null, centre: 'online', attention: 1, notOnPaper: 0, answers: {}, defaultLocale: person.locale })
    scene.set?.(terminal)
    const said: string[] = []
    page.on('console', (message) => { if (message.type() === 'error') said.push(message.text()) })
    page.on('pageerror', (error) => said.push(error.message))
    await page.goto(`${terminal.url}${scene.path ?? '/'}`)
    await page.locator('main').first().waitFor()
    await page.waitForFunction(() => document.fonts.status === 'loaded')
    if (scene.sale && !scene.path) await page.getByRole('grid').or(page.getByRole('article')).first().waitFor()
    if (scene.path || scene.person === null) await page.waitForLoadState('load')
    if (scene.path?.startsWith('/manager')) await page.getByRole('heading', { level: 2 }).first().waitFor()
    try {
      await scene.act?.(page, terminal)
    } catch (error) {
      said.push(String(error).split('\n')[0] ?? '')
    }
    await page.screenshot({ path: join(folder, `${name}.${size.width}.${theme}.${person.locale.slice(0, 2)}.png`), animations: 'disabled' })
    if (said.length > 0) { faults += 1; console.log(`${name} ${size.width} ${theme} ${person.locale}: ${said.join(' | ')}`) }
    await page.close()
  }
  await context.close()
}
await browser.close()
await terminal.close()
console.log(`screens: ${folder}, ${faults} with faults`)
process.exitCode = faults > 0 ? 1 : 0
