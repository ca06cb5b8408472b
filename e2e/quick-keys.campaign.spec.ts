import { CAISSIERE, CASHIER } from './lane.ts'
import { signIn } from './sign-in.ts'
import { expect, test } from './store.ts'

test('quick keys ring items by touch and by keyboard, and Page Down shows their second page', async ({ window }) => {
  await signIn(window, CASHIER)
  await expect(window.getByRole('heading', { name: 'Ready for the next customer' })).toBeVisible()

  await test.step('by touch, a department opens and an item rings, and the quick keys stay open', async () => {
    await window.getByRole('button', { name: 'Quick keys' }).click()
    await expect(window.getByRole('heading', { name: 'Departments' })).toBeVisible()
    await window.getByRole('option', { name: 'Pets' }).click()
    await window.getByRole('option', { name: /^Cat litter 14 kg/ }).click()
    await expect(window.getByRole('row', { name: /^Cat litter 14 kg, 1 at/ })).toBeVisible()
    await window.getByRole('option', { name: /^Cat litter 14 kg/ }).click()
    await expect(window.getByRole('row', { name: /^Cat litter 14 kg, 2 at/ })).toBeVisible()
    await expect(window.getByRole('heading', { name: 'Pets' })).toBeVisible()
  })

  await test.step('every quick key is large enough for a finger and inside the page', async () => {
    await window.keyboard.press('Escape')
    await expect(window.getByRole('heading', { name: 'Departments' })).toBeVisible()
    const tiles = await window.getByRole('option').all()
    expect(tiles.length).toBeGreaterThan(1)
    for (const tile of tiles) {
      const box = await tile.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(48)
      expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(800)
    }
  })

  await test.step('by keyboard, Page Down changes the page, arrow keys choose, Enter rings, Esc leaves', async () => {
    await expect(window.getByText('Page 1 of 2')).toBeVisible()
    await window.keyboard.press('PageDown')
    await expect(window.getByText('Page 2 of 2')).toBeVisible()
    await expect(window.getByRole('option').first()).toBeFocused()
    await window.keyboard.press('PageUp')
    await window.keyboard.press('ArrowRight')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: 'Bakery' })).toBeVisible()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('row', { name: /^Blueberry muffin, 1 at/ })).toBeVisible()
    await window.keyboard.press('+')
    await expect(window.getByRole('row', { name: /^Blueberry muffin, 2 at/ })).toBeVisible()
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await expect(window.getByRole('option')).toHaveCount(0)
    await expect(window.getByRole('button', { name: /^Exact cash/ })).toBeEnabled()
  })
})

test('the quick keys show departments and items in French', async ({ window }) => {
  await signIn(window, CAISSIERE)
  await expect(window.getByRole('heading', { name: 'Prêt pour le prochain client' })).toBeVisible()
  await window.keyboard.press('Shift+F2')
  await window.getByRole('option', { name: 'Fruits et légumes' }).click()
  await window.getByRole('option', { name: /^Bananes \(régime\) 2,49/ }).click()
  await expect(window.getByRole('row', { name: /^Bananes \(régime\), 1 à/ })).toBeVisible()
})
