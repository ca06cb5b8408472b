import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { Localized } from '../../../contracts/core/locales.ts'
import { ApiProblem, type FailureCode } from '../api/problem.ts'
import type { Format } from '../i18n/format.ts'
import type { Translate } from '../i18n/message-key.ts'
import { showAgeCheck } from '../../sales/sale.ts'

export type Tone = 'info' | 'success' | 'warning' | 'danger'
/** A text that is produced when it is shown, so that it follows a change of language. */
export type LazyText = (i18n: { t: Translate; format: Format }) => string

export interface Notice {
  readonly id: number
  readonly tone: Tone
  readonly text: LazyText
  /** Error reference that the person can give to support, shown in small type. */
  readonly reference: string | null
  /** The next notice of the same topic replaces this one, and successful actions do not remove it. */
  readonly topic: string | null
  /** The code of a failed call: a notice with the same code replaces this one. */
  readonly problem: FailureCode | null
  readonly offer: Offer | null
  readonly page: string | undefined
}

interface Offer {
  readonly text: LazyText
  readonly perform: () => void
}

interface NoticeState {
  readonly notices: readonly Notice[]
  readonly polite: { readonly id: number; readonly text: LazyText } | null
  readonly assertive: { readonly id: number; readonly text: LazyText } | null
}

const NOTICE_MS = 8_000
const MAX_SHOWN = 3

export const DRAWER_PATH = '/manager/drawer'
const OFFERS: Partial<Record<FailureCode, Offer>> = {
  'age-check-open': { text: ({ t }) => t('age.open'), perform: showAgeCheck },
  'shift-required': { text: ({ t }) => t('cash.openPage'), perform: () => navigate(DRAWER_PATH) },
}
export const offerFor = (code: FailureCode): Offer | null => OFFERS[code] ?? null

export const useNotices = create<NoticeState>()(() => ({ notices: [], polite: null, assertive: null }))

let lastId = 0

export function notify(
  tone: Tone,
  text: LazyText,
  {
    reference = null,
    topic = null,
    problem = null,
    offer = null,
  }: Partial<Pick<Notice, 'reference' | 'topic' | 'problem' | 'offer'>> = {},
): void {
  const id = ++lastId
  const replaced = (notice: Notice): boolean =>
    (topic !== null && notice.topic === topic) || (problem !== null && notice.problem === problem)
  useNotices.setState(({ notices }) => ({
    notices: fitting([
      ...notices.filter((notice) => !replaced(notice)),
      { id, tone, text, reference, topic, problem, offer, page: globalThis.location?.pathname },
    ]),
  }))
  // The display time starts when the notice is shown: a change of screen does not extend it.
  if (!stays(tone)) setTimeout(() => dismiss(id), NOTICE_MS)
}

export const stays = (tone: Tone): boolean => tone === 'danger' || tone === 'warning'

/** Keeps as many notices as fit: drops the oldest success or information first, then the oldest problem. */
function fitting(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= MAX_SHOWN) return notices
  const leaves = notices.find((notice) => !stays(notice.tone)) ?? notices[0]
  return fitting(notices.filter((notice) => notice !== leaves))
}

export const clearTopic = (topic: string): void =>
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.topic !== topic) }))

/**
 * Shows that the terminal does not answer, in one notice until it answers, so that the cashier does not assume success.
 */
export function notifyUnreachable(): void {
  if (!useNotices.getState().notices.some(isUnreachable)) report(new ApiProblem('terminal-unreachable', null, null))
}

export const clearUnreachable = (): void =>
  useNotices.setState(({ notices }) =>
    notices.some(isUnreachable) ? { notices: notices.filter((notice) => !isUnreachable(notice)) } : {},
  )

const isUnreachable = (notice: Notice): boolean => notice.problem === 'terminal-unreachable'

export const clearNotices = (): void => useNotices.setState({ notices: [], polite: null, assertive: null })

/** Clears screen-reader texts when the sale or person changes, so that none seems current. */
export const clearAnnouncements = (): void => useNotices.setState({ polite: null, assertive: null })

export const dismiss = (id: number): void =>
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))

export const clearProblems = (): void =>
  useNotices.setState(({ notices }) =>
    notices.some(isProblem) ? { notices: notices.filter((notice) => !isProblem(notice)) } : {},
  )

const isProblem = (notice: Notice): boolean => notice.topic === null && stays(notice.tone)

export const inScreenLanguage =
  (messages: Localized): LazyText =>
  ({ format }) =>
    format.text(messages)

/** Text of a failed call: the backend's message, else why the call was not sent, or that it was not answered. */
export function problemText({ code, messages }: ApiProblem): LazyText {
  if (messages) return inScreenLanguage(messages)
  if (code === 'note-holds-number') return ({ t }) => t('app.cardNumber')
  if (code === 'other-program') return ({ t }) => t('app.otherProgram')
  return ({ t }) => `${t('app.unreachableTitle')}. ${t('app.unreachable')}`
}

/** Reference for support to a failed call; null where the text is sufficient. */
export const referenceOf = ({ code, correlationId }: ApiProblem): string | null =>
  code === 'internal' ? correlationId : null

/** Shows the person at the lane the failure and the remedy. Throws errors that are not API problems. */
export function report(error: unknown): void {
  if (error instanceof ApiProblem)
    notify('danger', problemText(error), {
      problem: error.code,
      reference: referenceOf(error),
      offer: offerFor(error.code),
    })
  else throw error
}

export function announce(text: LazyText, urgency: 'polite' | 'assertive' = 'polite'): void {
  useNotices.setState({ [urgency]: { id: ++lastId, text } })
}
