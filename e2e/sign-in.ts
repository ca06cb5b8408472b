import { expect, type Page } from '@playwright/test'

/** Taps a name and types that person's PIN without pauses between the digits. Does not check the outcome. */
export async function signIn(window: Page, { name, pin }: { name: string; pin: string }): Promise<void> {
  await window.getByRole('button', { name }).click()
  await window.keyboard.type(pin)
  await window.keyboard.press('Enter')
}

/** Signs a person in again after a sign-out or a restart of the terminal, which signs every person out. */
export async function signInAgain(window: Page, person: { name: string; pin: string }): Promise<void> {
  await window.getByRole('heading', { name: /^(Who is working this lane|Qui travaille à cette caisse)\?$/ }).waitFor()
  await signIn(window, person)
}

const WRONGS_BEFORE_LOCK = 4

export async function lockPin(window: Page, { name }: { name: string }): Promise<void> {
  await window.getByRole('button', { name }).click()
  for (let count = 0; count < WRONGS_BEFORE_LOCK; count += 1) {
    await window.keyboard.type('0000')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('alert').filter({ hasText: 'Wrong PIN. Try again.' })).toBeVisible()
  }
  await window.keyboard.type('0000')
  await window.keyboard.press('Enter')
  await expect(
    window.getByRole('alert').filter({ hasText: 'have another manager (Staff) or the installer unlock you' }),
  ).toBeVisible()
}
