import { create } from 'zustand'
import type { z } from 'zod'
import type { Staff, StopReason, Terminal, WindowPage } from '../../../contracts/staff/session.ts'
import { FIRST_LOCALE, LANGUAGES, LOCALES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { ApiProblem } from '../api/problem.ts'
import { api } from '../api/terminal-api.ts'
import { hasWindowKey } from '../api/window-session.ts'
import { endApproval } from '../../sales/approvals.ts'
import { forgetChanges } from '../../sales/changes.ts'
import { forgetCounts } from '../../day/drawer/drawer-counts.ts'
import { clearNotices, report } from './notices.ts'
import { leaveCompleted } from '../../sales/sale.ts'

export type TerminalFacts = z.infer<typeof Terminal>
export type StaffMember = z.infer<typeof Staff>
export type Theme = 'light' | 'dark'

/** cashier acts; display only watches, in the language of whoever serves and in no other. */
export const windowRole: 'cashier' | 'display' = globalThis.location?.pathname.startsWith('/customer')
  ? 'display'
  : 'cashier'

const windowPage: WindowPage = windowRole === 'display' ? '/customer' : '/'

interface TerminalState {
  /** opening → ready; refused: this window has no session; unreachable: the backend does not answer. */
  readonly phase: 'opening' | 'ready' | 'refused' | 'unreachable'
  readonly problem: ApiProblem | null
  readonly terminal: TerminalFacts | null
  readonly locale: Locale
  readonly theme: Theme
  /** What the QR code of an enrolment sheet holds, as it was scanned last; each scan is another, also of one sheet. */
  readonly ticket: { readonly text: string } | null
}

const remembered = (key: string): string | null => globalThis.localStorage?.getItem(key) ?? null
const remember = (key: string, value: string): void => globalThis.localStorage?.setItem(key, value)

function firstTheme(): Theme {
  const known = remembered('milepost.theme')
  if (known === 'light' || known === 'dark') return known
  return globalThis.matchMedia?.('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

function firstLocale(): Locale {
  const known = remembered('milepost.locale')
  const own = globalThis.navigator?.language?.toLowerCase() ?? ''
  return (
    LOCALES.find((locale) => locale === known) ??
    LOCALES.find((locale) => own.startsWith(LANGUAGES[locale].short)) ??
    FIRST_LOCALE
  )
}

export const useTerminal = create<TerminalState>()(() => ({
  phase: 'opening',
  problem: null,
  terminal: null,
  locale: firstLocale(),
  theme: firstTheme(),
  ticket: null,
}))

/** Kept until the backend has taken it: a terminal that was not there yet is asked again. */
let launchToken: string | null = null

/**
 * Open the terminal: a one-time launch token in the address becomes the window's key, in memory alone, and leaves the
 * address. A page that was loaded again has no key any more: a new window is asked for, or the shell shows the key.
 */
export async function openTerminal(): Promise<void> {
  useTerminal.setState({ phase: 'opening', problem: null })
  try {
    const given = new URLSearchParams(location.hash.slice(1)).get('launch')
    if (given) {
      history.replaceState(history.state, '', location.pathname + location.search)
      launchToken = given
    }
    if (launchToken) {
      await api.openSession(launchToken)
      launchToken = null
    }
    await loadTerminal()
    // The terminal tells its name to anybody; whoever has no session must hear so now, and not look alive.
    await api.staff()
    useTerminal.setState({ phase: 'ready' })
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.code === 'session-required' && !hasWindowKey()) void api.askLink(windowPage).catch(() => undefined)
    const noAnswer = error.code === 'terminal-unreachable' || error.code === 'other-program'
    useTerminal.setState({ phase: noAnswer ? 'unreachable' : 'refused', problem: error })
  }
}

/** A new link that is opened in the same tab changes nothing but the end of the address. */
globalThis.addEventListener?.('hashchange', () => {
  if (location.hash.startsWith('#launch=')) void openTerminal()
})

/** Loads the page again. Its key is lost with its memory: it takes a launch token for another one along. */
export async function reloadWindow(): Promise<void> {
  if (hasWindowKey()) {
    try {
      const { launchToken: next } = await api.launchToken(windowPage)
      location.hash = `launch=${next}`
    } catch {
      // Loaded without one, the page asks for a window.
    }
  }
  location.reload()
}

/** The language that was chosen while no one was signed in: the next person to sign in here gets it. */
let localeForNext: Locale | null = null

/** How often somebody signed in or out at this window. */
let changesOfPerson = 0

/** Facts of the terminal and who is signed in; before anybody chose a language, the store's. */
export async function loadTerminal(): Promise<void> {
  const asked = changesOfPerson
  const answer = await api.terminal()
  // Somebody signed in or out while it was on its way: who was there before is no news.
  const terminal =
    asked === changesOfPerson ? answer : { ...answer, signedIn: useTerminal.getState().terminal?.signedIn ?? null }
  const chosen = windowRole === 'cashier' && remembered('milepost.locale') !== null
  leaveNotices(terminal.signedIn)
  useTerminal.setState((state) => ({
    terminal,
    locale: terminal.signedIn?.locale ?? (chosen ? state.locale : terminal.defaultLocale),
  }))
}

/** Throws ApiProblem (`pin-wrong`, `pin-locked`, `pin-change-required` …): the PIN pad says it where the eyes are. */
export async function signIn(staffId: string, pin: string, newPin?: string): Promise<void> {
  const { staff } = await api.signIn(staffId, pin, newPin)
  await takeSignedIn(staff)
}

/** Whoever's badge was read at this lane. What is wrong with it is said as a notice: nobody has chosen a name yet. */
export async function signInByBadge(readId: string): Promise<void> {
  try {
    const { staff } = await api.signInByBadge(readId)
    await takeSignedIn(staff)
  } catch (error) {
    report(error)
  }
}

/** A language chosen on the sign-in screen becomes the language of the person who signs in. */
async function takeSignedIn(staff: StaffMember): Promise<void> {
  const chosen = localeForNext
  localeForNext = null
  setSignedIn(chosen ? { ...staff, locale: chosen } : staff)
  if (chosen) await saveLocale(chosen)
}

export async function signOut(): Promise<void> {
  try {
    await api.signOut()
    setSignedIn(null)
  } catch (error) {
    report(error)
  }
}

export function setSignedIn(staff: StaffMember | null): void {
  changesOfPerson += 1
  leaveNotices(staff)
  useTerminal.setState((state) => ({
    terminal: state.terminal && { ...state.terminal, signedIn: staff },
    locale: staff?.locale ?? (windowRole === 'display' ? state.terminal?.defaultLocale : undefined) ?? state.locale,
  }))
}

/** Who was signed in at this window last. */
let lastPerson: string | null = null

/** What was said to one person is not for the next, nor for whoever passes the sign-in screen. */
function leaveNotices(next: StaffMember | null): void {
  if (next) {
    if (lastPerson !== null && lastPerson !== next.id) leaveCompleted()
    lastPerson = next.id
  }
  const before = useTerminal.getState().terminal?.signedIn
  if (!before || before.id === next?.id) return
  clearNotices()
  forgetChanges()
  forgetCounts()
  endApproval()
}

export function setStopped(reason: StopReason): void {
  useTerminal.setState((state) => ({ terminal: state.terminal && { ...state.terminal, stopped: reason } }))
}

/** The screen changes at once; the backend remembers it for whoever is signed in. */
export async function chooseLocale(locale: Locale): Promise<void> {
  remember('milepost.locale', locale)
  useTerminal.setState({ locale })
  const signedIn = useTerminal.getState().terminal?.signedIn
  if (!signedIn) {
    localeForNext = locale
    return
  }
  setSignedIn({ ...signedIn, locale })
  await saveLocale(locale)
}

async function saveLocale(locale: Locale): Promise<void> {
  try {
    await api.setLocale(locale)
  } catch (error) {
    report(error)
  }
}

export function chooseTheme(theme: Theme): void {
  remember('milepost.theme', theme)
  useTerminal.setState({ theme })
}
