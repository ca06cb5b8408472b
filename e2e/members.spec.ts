import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { COLLECTORS, ean13, expect, ITEMS, test, track2 } from './store.ts'

const ACCOUNTS = [
  ['closed', 'Account closed: cannot earn or redeem', false],
  ['unknown', 'Unknown card: cannot earn or redeem', false],
  ['noRedeem', 'Cannot redeem at checkout', true],
  ['suppressedNoRedeem', 'Balances private: cannot redeem at checkout', true],
  ['poor', 'Not enough cash miles to redeem', true],
] as const

test('a card presented before the first item can redeem; accounts that may not redeem are explained', async ({
  window,
  store,
}) => {
  const { scanner, reader } = store
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()
  const collector = window.getByRole('region', { name: 'Member' })
  const earning = window.getByText('Miles to earn').locator('..')

  await test.step('a card presented before the first item can redeem once an item is rung', async () => {
    await reader.send(track2(COLLECTORS.fine))
    await expect(window.getByRole('heading', { name: 'Member number ending in 0011' })).toBeVisible()
    await scanner.send(ean13(ITEMS.detergent.code))
    await expect(window.getByRole('button', { name: 'Redeem $20.00' })).toBeEnabled()
  })

  for (const [role, texts, earns] of ACCOUNTS) {
    await test.step(role, async () => {
      await reader.send(track2(COLLECTORS[role]))
      await expect(collector).toContainText(texts)
      await expect(window.getByRole('button', { name: /^Redeem/ })).toHaveCount(0)
      await expect(earning).toContainText(earns ? /\d+ miles?/ : 'None')
      await expect(window.getByText(COLLECTORS[role])).toHaveCount(0)
    })
  }
})

test('in French, an unknown card earns nothing, and the next scanned card shows its special offer', async ({
  window,
  store,
}) => {
  const { scanner } = store
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  await scanner.send(ean13(ITEMS.detergent.code))
  await scanner.send(`]C0${COLLECTORS.unknown}\r`)
  const collector = window.getByRole('region', { name: 'Adhérent' })
  await expect(collector).toContainText('Carte inconnue : ni milles ni échange')
  await scanner.send(`]C0${COLLECTORS.special}\r`)
  await expect(collector).toContainText('Offre spéciale')
  await expect(collector).toContainText('Balayée')
  await expect(window.getByRole('button', { name: /^Échanger/ })).toBeEnabled()
})
