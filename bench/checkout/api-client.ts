import { payByCard, done, ring } from '../../packages/lab/rig/cashier.ts'
import { openWindow, type Window } from '../../packages/lab/rig/window.ts'

type SaleToPay = Parameters<typeof payByCard>[0]

/** A window without a screen that signs in and closes sales. */
export interface ApiClient extends Omit<Window, 'signIn'> {
  /** Signs the cashier out, so that a window shows the sign-in screen. */
  signOut(): Promise<void>
  signIn(): Promise<void>
  /** Rings one piece of an item and returns the sale. */
  ring(sku: string): Promise<SaleToPay>
  /** Pays the sale’s amount due by card. */
  payByCard(sale: SaleToPay): Promise<void>
}

export async function openApiClient(
  { url, launchUrl }: { readonly url: string; readonly launchUrl: string },
  { id, pin, newPin = pin }: { readonly id: string; readonly pin: string; readonly newPin?: string },
): Promise<ApiClient> {
  const window = await openWindow(url, { launchUrl })
  await window.signIn({ id, pin, ...(newPin === pin ? {} : { newPin }) })
  return {
    ...window,
    signIn: () => window.signIn({ id, pin: newPin }),
    async signOut() {
      await window.post('/api/sign-out', {})
    },
    ring: (sku) => done(window, ring(sku)),
    async payByCard(sale) {
      const paid = await done(window, payByCard(sale, 'BENCH'))
      if (paid.state !== 'completed') throw new Error(`the sale is ${paid.state} after it was paid`)
    },
  }
}
