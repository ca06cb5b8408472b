import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium, type Page } from '@playwright/test'
import type { Item } from '../../contracts/api/catalog.ts'
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

/** A line with all that can be agreed on it, and a coupon and an exemption on the sale. */
const changed = withMember({
  ...saleOf([line(1), line(2, { quantity: 2, discountCents: 300, amountCents: 2698, note: 'Ground for a French press' }), line(4, { unitPriceCents: 1099, regularPriceCents: 1299, amountCents: 989, discountCents: 110 })]),
  discounts: [
    { number: 1, reach: { kind: 'line', number: 2 }, off: { kind: 'percent', ppm: 100_000 }, reason: 'damaged', coupon: null, applies: true, amountCents: 300 },
    { number: 2, reach: { kind: 'sale' }, off: { kind: 'amount', cents: 110 }, reason: null, coupon: { code: 'HOUSE10', name: { 'en-CA': 'Household week', 'fr-CA': 'Semaine maison' } }, applies: true, amountCents: 110 },
  ] as unknown as Sale['discounts'],
  exemption: { relief: 'provincial', reason: 'first-nations', certificate: 'FN-1234' }, note: 'Call before delivery', undo: 'discount',
})
const FLOWERS = { sku: '1037', barcode: null, name: { 'en-CA': 'Cut flowers', 'fr-CA': 'Fleurs coupées' }, priceCents: 1000, openPrice: { leastCents: 100, mostCents: 20_000 }, taxCategory: 'standard', departmentId: 'floral', categoryId: null } as unknown as Item

interface Scene {
  readonly sale?: Sale
  readonly path?: string
  readonly person?: object | null
  readonly act?: (page: Page, terminal: FixtureTerminal) => Promise<void>
  readonly set?: (terminal: FixtureTerminal) => void
  /** The browser complains of a refusal that belongs to the scene. */
  readonly refused?: true
}

const press = (...keys: string[]) => async (page: Page): Promise<void> => { for (const key of keys) await page.keyboard.press(key) }

async function openEntry(page: Page, sale: RegExp): Promise<void> {
  await page.getByRole('button', { name: sale }).click()
  await page.getByRole('dialog').getByRole('definition').first().waitFor()
}

const QUOTE = {
  saleId: 'N1010100000038K7Q2', version: 3, lines: [], totals: { subtotalCents: 46_97, taxes: [], totalCents: 52_17 }, needsApproval: false, exchange: null,
  refunds: [{ kind: 'card', paidBy: 'card', amountCents: 2_17, roundingCents: 0, why: 'paid-by-card' }, { kind: 'miles', paidBy: 'miles', amountCents: 50_00, roundingCents: 0, why: 'miles-whole' }],
  reversible: { closesAt: new Date(Date.now() + 5 * 3_600_000).toISOString(), miles: 475, amountCents: 50_00 }, milesTaken: { certainty: 'about', miles: 15 },
}
/** A sale whose goods come back: chosen from the latest, with everything of it. */
async function chooseReturn(page: Page): Promise<void> {
  await page.getByRole('grid').getByRole('row').first().click()
  await page.getByRole('button', { name: /Everything comes back|Tout revient/ }).click()
  await page.getByRole('timer').waitFor()
}
const returning = ({ state }: FixtureTerminal): void => {
  const sales = [{ id: 'N1010100000038K7Q2', state: 'completed', closedAt: '2026-11-20T15:04:00.000Z', totalCents: 52_17, tenders: ['card', 'miles'], memberLast4: '0011', cashier: 'Alex Tremblay', receipt: 'printed' }]
  state.answers['GET /api/sales/earlier'] = { status: 200, body: { sales, next: null } }
  state.answers['GET /api/sales/N1010100000038K7Q2/returnable'] = { status: 200, body: { saleId: 'N1010100000038K7Q2', version: 3, completedAt: '2026-11-20T15:04:00.000Z', last4: '0011', returns: [], lines: [1, 2, 3].map((number) => ({ ...line(number, { quantity: 2 }), returnedQuantity: number - 1, leftQuantity: 3 - number })) } }
  state.answers['POST /api/returns/quote'] = { status: 200, body: QUOTE }
  state.answers['POST /api/returns/without-record/scans'] = { status: 204, body: '' }
}
const voucher = { id: 'A'.repeat(32), kind: 'gift-card', last4: 'KQRT', issuedAt: '2026-11-20T15:04:00.000Z', balanceCents: 17_41 } as const

const SCENES: Record<string, Scene> = {
  'return-find': { path: '/return', set: returning, act: async (page) => { await page.getByRole('grid').waitFor() } },
  'return': { path: '/return', set: returning, act: chooseReturn },
  'return-unrecorded': { path: '/return', set: returning, act: async (page) => { await page.keyboard.press('F4'); await page.getByRole('textbox').first().waitFor() } },
  'voucher': { sale: withMember(), act: press('Shift+F7') },
  'voucher-shown': { sale: withMember(), act: async (page, terminal) => { terminal.push({ type: 'voucher-presented', voucher: voucher as never }); await page.getByRole('heading', { name: /KQRT/ }).waitFor() } },
  'gift-card': { act: press('Shift+F2', '2', '5', '0', '0') },
  'earlier-papers': { path: '/manager/receipts', set: ({ state }) => { state.notOnPaper = 3 } },
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
  'sale-changed': { sale: changed },
  'changes': { sale: changed, act: press('Control+e') },
  'discount': { sale: withMember(), act: press('Control+d', '1', '5') },
  'price': { sale: changed, act: press('Control+p', '4', '0', '0') },
  'coupon': { sale: withMember(), act: press('Control+k') },
  'exemption': { sale: withMember(), act: press('Control+i') },
  'note': { sale: withMember(), act: press('Control+l') },
  'approval': {
    sale: withMember(),
    refused: true,
    set: ({ state }) => { state.answers['POST /api/sales/01K9TRAINLANE01/lines/4/void'] = { status: 403, body: { code: 'approval-required', messages: { 'en-CA': 'x', 'fr-CA': 'x' }, details: [{ path: 'action', message: 'line-void' }] } } },
    act: async (page) => { await page.keyboard.press('Delete'); await page.getByRole('dialog').getByRole('heading', { level: 2 }).nth(1).waitFor() },
  },
  'price-ask': { sale: withMember(), act: async (page, terminal) => { terminal.push({ type: 'price-asked', item: FLOWERS }); await page.getByRole('dialog').waitFor() } },
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
    page.on('console', (message) => { if (message.type() === 'error' && !(scene.refused && message.text().includes('403'))) said.push(message.text()) })
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
