import type { Sale } from '../../contracts/api/sales.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import type { Locale } from '../../contracts/locales.ts'
import { customerLines, welcomeLines } from '../domain/customer-lines.ts'

export interface CustomerLinesOptions {
  readonly display: { show(upper: string, lower: string): void }
  readonly storeName: string
  readonly locale: () => Locale
  /** The sale that is open on this lane. */
  readonly openSale: () => Sale | null
}

/** Keeps the customer's line display in step with the sale, by the same events that the screens get. */
export interface CustomerLines {
  onEvent(event: TerminalEvent): void
}

export function createCustomerLines({ display, storeName, locale, openSale }: CustomerLinesOptions): CustomerLines {
  let shownSale: string | null = null
  const welcome = (): void => {
    shownSale = null
    display.show(...welcomeLines(storeName, locale()))
  }
  /** A sale that was left open, by a restart or by whoever signed out, is in sight again. */
  const resume = (): void => {
    const sale = openSale()
    const lines = sale && customerLines(sale, locale())
    if (!lines) return welcome()
    shownSale = sale.id
    display.show(...lines)
  }
  resume()
  return {
    onEvent(event) {
      switch (event.type) {
        case 'sale-changed': {
          const { sale } = event
          // What an earlier sale still earns is no news while the next one is rung.
          if (sale.state !== 'open' && sale.id !== shownSale) return
          const lines = customerLines(sale, locale())
          if (lines === null) return welcome()
          shownSale = sale.id
          display.show(...lines)
          return
        }
        case 'sale-closed':
          if (event.state === 'cancelled') welcome()
          return
        // Also said when the language changes, in the middle of a sale too: its last line is told again. The change due
        // of a sale that has ended stays.
        case 'signed-in':
          if (event.staff !== null && (shownSale === null || openSale()?.id === shownSale)) resume()
          return
        case 'signed-out':
          return welcome()
        default:
      }
    },
  }
}
