import type { Page } from '@playwright/test'

/** Taps a name and types its PIN, as a person does; what comes of it shows on the screen. */
export async function signIn(window: Page, { name, pin }: { name: string; pin: string }): Promise<void> {
  await window.getByRole('button', { name }).click()
  await window.keyboard.type(pin)
  await window.keyboard.press('Enter')
}
