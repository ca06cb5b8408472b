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
import { forgetWeighing } from '../../sales/weighing.ts'
import { forgetCounts } from '../../day/drawer/drawer-counts.ts'
import { clearNotices, report } from './notices.ts'
import { leaveCompleted } from '../../sales/sale.ts'

export type TerminalFacts = z.infer<typeof Terminal>
export type StaffMember = z.infer<typeof Staff>
export type Theme = 'light' | 'dark'

export const windowRole: 'cashier' | 'display' = globalThis.location?.pathname.startsWith('/customer')
  ? 'display'
  : 'cashier'

const windowPage: WindowPage = windowRole === 'display' ? '/customer' : '/'

interface TerminalState {
  /**
   * Phase of the start: opening, then ready; refused: this window has no session; unreachable: the backend does not
   * answer.
   */
  readonly phase: 'opening' | 'ready' | 'refused' | 'unreachable'
  readonly problem: ApiProblem | null
  readonly terminal: TerminalFacts | null
  readonly locale: Locale
  readonly theme: Theme
  /** Text of the last scanned QR code of an enrolment sheet; each scan is a new object, even of the same sheet. */
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

/**
 * The window's launch token, stored until the backend has accepted it, because the window retries while the backend
 * does not answer.
 */
let launchToken: string | null = null

/**
 * Opens the window: exchanges the one-time launch token in the address for the window's session key, which stays in
 * memory, and removes the token from the address. A reloaded page has no key: it needs a new launch link, or the
 * shell's key.
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
    // The list of staff needs a session, unlike the terminal's facts: a window without a session must not seem to work.
    await api.staff()
    useTerminal.setState({ phase: 'ready' })
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.code === 'session-required' && !hasWindowKey()) void api.askLink(windowPage).catch(() => undefined)
    const noAnswer = error.code === 'terminal-unreachable' || error.code === 'other-program'
    useTerminal.setState({ phase: noAnswer ? 'unreachable' : 'refused', problem: error })
  }
}

/** A new launch link opened in the same tab changes only the fragment, so the page must read it itself. */
globalThis.addEventListener?.('hashchange', () => {
  if (location.hash.startsWith('#launch=')) void openTerminal()
})

/**
 * Reloads the page. The session key is lost with the page's memory, so a launch token for a new key is added to the
 * address.
 */
export async function reloadWindow(): Promise<void> {
  if (hasWindowKey()) {
    try {
      const { launchToken: next } = await api.launchToken(windowPage)
      location.hash = `launch=${next}`
    } catch {
      // Without a launch token the reloaded page requests a link.
    }
  }
  location.reload()
}

/** The language chosen on the sign-in screen, which applies to the next person who signs in here. */
let localeForNext: Locale | null = null

/** Number of sign-ins and sign-outs at this window. */
let changesOfPerson = 0

/** Loads facts of the terminal and the signed-in person. Uses the store's language until a person chooses one. */
export async function loadTerminal(): Promise<void> {
  const asked = changesOfPerson
  const answer = await api.terminal()
  // After a sign-in or sign-out during the request, the person in the answer is outdated.
  const terminal =
    asked === changesOfPerson ? answer : { ...answer, signedIn: useTerminal.getState().terminal?.signedIn ?? null }
  const chosen = windowRole === 'cashier' && remembered('milepost.locale') !== null
  clearNoticesFor(terminal.signedIn)
  useTerminal.setState((state) => ({
    terminal,
    locale: terminal.signedIn?.locale ?? (chosen ? state.locale : terminal.defaultLocale),
  }))
}

/**
 * Signs a person in. Throws ApiProblem (`pin-wrong`, `pin-locked`, `pin-change-required` …), which the PIN pad shows.
 */
export async function signIn(staffId: string, pin: string, newPin?: string): Promise<void> {
  const { staff } = await api.signIn(staffId, pin, newPin)
  await applySignedIn(staff)
}

/** Signs in the person of a staff badge read at this lane. Shows problems as notices, because no name is chosen yet. */
export async function signInByBadge(readId: string): Promise<void> {
  try {
    const { staff } = await api.signInByBadge(readId)
    await applySignedIn(staff)
  } catch (error) {
    report(error)
  }
}

async function applySignedIn(staff: StaffMember): Promise<void> {
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
  clearNoticesFor(staff)
  useTerminal.setState((state) => ({
    terminal: state.terminal && { ...state.terminal, signedIn: staff },
    locale: staff?.locale ?? (windowRole === 'display' ? state.terminal?.defaultLocale : undefined) ?? state.locale,
  }))
}

let lastPerson: string | null = null

/**
 * Discards the previous person's notices, change dialogs, drawer counts and open approval when that person signs out,
 * and their completed sale when another person signs in.
 */
function clearNoticesFor(next: StaffMember | null): void {
  if (next) {
    if (lastPerson !== null && lastPerson !== next.id) leaveCompleted()
    lastPerson = next.id
  }
  const before = useTerminal.getState().terminal?.signedIn
  if (!before || before.id === next?.id) return
  clearNotices()
  forgetChanges()
  forgetWeighing()
  forgetCounts()
  endApproval()
}

export function setStopped(reason: StopReason): void {
  useTerminal.setState((state) => ({ terminal: state.terminal && { ...state.terminal, stopped: reason } }))
}

/** Changes the language of the screen at once; the backend stores it for the signed-in person. */
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
