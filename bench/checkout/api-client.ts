import { payByCard, done, ring } from '../../packages/lab/rig/cashier.ts'
import { openWindow, type Window } from '../../packages/lab/rig/window.ts'

type SaleToPay = Parameters<typeof payByCard>[0]

export interface ApiClient extends Omit<Window, 'signIn'> {
  signOut(): Promise<void>
  signIn(): Promise<void>
  ring(sku: string): Promise<SaleToPay>
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
