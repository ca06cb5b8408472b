import type { Page } from '@playwright/test'

/** Opens a page of the store as a person finds it: by its group, then by its name. */
export async function openStorePage(window: Page, group: string, name: string): Promise<void> {
  const names = window.getByRole('navigation')
  // Of the group that stands open the name is a heading, and a touch on it changes nothing.
  await names.getByText(group, { exact: true }).click()
  await names.getByRole('link', { name, exact: true }).click()
}
