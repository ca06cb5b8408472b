import { openWindow, type Window } from '../packages/lab/rig/window.ts'
import type { Lane } from './lane.ts'
import type { Wire } from './pty.ts'
import { track2 } from './wire.ts'

/** Opens a session of the local API, without a browser, and signs a person in. */
export async function openTerminal(
  { url, launchUrl }: Pick<Lane, 'url' | 'launchUrl'>,
  staff: Parameters<Window['signIn']>[0],
): Promise<Window> {
  const window = await openWindow(url, { launchUrl })
  await window.signIn(staff)
  return window
}

/** Swipes the collector's card; resolves when the collector is attached to the sale. */
export async function presentCard(client: Window, reader: Wire, collectorNumber: string): Promise<void> {
  await reader.send(track2(collectorNumber))
  await client.first('sale-changed', ({ sale }) => sale.member?.last4 === collectorNumber.slice(-4))
}
