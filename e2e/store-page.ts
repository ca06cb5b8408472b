import type { Page } from '@playwright/test'

export async function openStorePage(window: Page, group: string, name: string): Promise<void> {
  const names = window.getByRole('navigation')
  // The name of the open group is a heading, so a click on it has no effect.
  await names.getByText(group, { exact: true }).click()
  await names.getByRole('link', { name, exact: true }).click()
}
