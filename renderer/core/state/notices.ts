import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { Localized } from '../../../contracts/core/locales.ts'
import { ApiProblem, type FailureCode } from '../api/problem.ts'
import type { Format } from '../i18n/format.ts'
import type { Words } from '../i18n/message-key.ts'
import { showAgeCheck } from '../../sales/sale.ts'

export type Tone = 'info' | 'success' | 'warning' | 'danger'
/** Words are made when they are shown, so that a change of language changes them too. */
export type Saying = (words: { t: Words; format: Format }) => string

export interface Notice {
  readonly id: number
  readonly tone: Tone
  readonly say: Saying
  /** For support, shown small. */
  readonly reference: string | null
  /** What it is about: the next about the same takes its place, and another success does not take it away. */
  readonly topic: string | null
  /** The problem that a call ended with: the same problem again takes its place. */
  readonly problem: FailureCode | null
  /** What can be done about it at once. */
  readonly offer: Offer | null
  /** The path of the page on which it appeared. */
  readonly page: string | undefined
}

interface Offer {
  readonly say: Saying
  readonly perform: () => void
}

interface NoticeState {
  readonly notices: readonly Notice[]
  /** Spoken, never shown: the latest politely, and the latest at once. */
  readonly polite: { readonly id: number; readonly say: Saying } | null
  readonly assertive: { readonly id: number; readonly say: Saying } | null
}

/** Notices that need nothing of the cashier leave by themselves after this long. */
const NOTICE_MS = 8_000
const MOST_SHOWN = 3

/** Where a drawer is opened, counted and closed. */
export const DRAWER_PATH = '/manager/drawer'
/** What lifts a refusal at once, by its code. */
const OFFERS: Partial<Record<FailureCode, Offer>> = {
  'age-check-open': { say: ({ t }) => t('age.open'), perform: showAgeCheck },
  'shift-required': { say: ({ t }) => t('cash.openPage'), perform: () => navigate(DRAWER_PATH) },
}
export const offerFor = (code: FailureCode): Offer | null => OFFERS[code] ?? null

export const useNotices = create<NoticeState>()(() => ({ notices: [], polite: null, assertive: null }))

let lastId = 0

export function notify(
  tone: Tone,
  say: Saying,
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
      { id, tone, say, reference, topic, problem, offer, page: globalThis.location?.pathname },
    ]),
  }))
  // Counted from when it was said: a change of screen shows it anew and gives it no more time.
  if (!stays(tone)) setTimeout(() => dismiss(id), NOTICE_MS)
}

/** It stays until it is read or mended. */
export const stays = (tone: Tone): boolean => tone === 'danger' || tone === 'warning'

/** No more than there is room for; news gives way before what stays, the oldest first. */
function fitting(notices: readonly Notice[]): readonly Notice[] {
  if (notices.length <= MOST_SHOWN) return notices
  const leaves = notices.find((notice) => !stays(notice.tone)) ?? notices[0]
  return fitting(notices.filter((notice) => notice !== leaves))
}

/** What this was about is settled. */
export const settleTopic = (topic: string): void =>
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.topic !== topic) }))

/** Nobody may think that what was asked for is done. Said once, until it answers. */
export function notifyUnreachable(): void {
  if (!useNotices.getState().notices.some(isUnreachable)) report(new ApiProblem('terminal-unreachable', null, null))
}

/** The terminal's program answers again: nothing may go on saying that it does not. */
export const settleUnreachable = (): void =>
  useNotices.setState(({ notices }) =>
    notices.some(isUnreachable) ? { notices: notices.filter((notice) => !isUnreachable(notice)) } : {},
  )

const isUnreachable = (notice: Notice): boolean => notice.problem === 'terminal-unreachable'

/** Whoever these were for has left: the next person has nothing to do with them. */
export const clearNotices = (): void => useNotices.setState({ notices: [], polite: null, assertive: null })

/** Another sale, or another person: nothing that was said before may be heard as if it were about now. */
export const fallSilent = (): void => useNotices.setState({ polite: null, assertive: null })

export const dismiss = (id: number): void =>
  useNotices.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }))

/** What was wrong before an action that succeeded is wrong no more. */
export const clearProblems = (): void =>
  useNotices.setState(({ notices }) =>
    notices.some(isProblem) ? { notices: notices.filter((notice) => !isProblem(notice)) } : {},
  )

const isProblem = (notice: Notice): boolean => notice.topic === null && stays(notice.tone)

export const inOwnLanguage =
  (messages: Localized): Saying =>
  ({ format }) =>
    format.text(messages)

/** Words for a failed call: the backend's own, else why it was not sent, or that there was no answer. */
export function problemSaying({ code, messages }: ApiProblem): Saying {
  if (messages) return inOwnLanguage(messages)
  if (code === 'note-holds-number') return ({ t }) => t('app.cardNumber')
  if (code === 'other-program') return ({ t }) => t('app.otherProgram')
  return ({ t }) => `${t('app.unreachableTitle')}. ${t('app.unreachable')}`
}

/** What support finds a failure by that has no other name; null where the words say all. */
export const referenceOf = ({ code, correlationId }: ApiProblem): string | null =>
  code === 'internal' ? correlationId : null

/**
 * Tell the person at the lane what failed and what to do. Anything that is no problem of the API goes on to the error
 * boundary's log.
 */
export function report(error: unknown): void {
  if (error instanceof ApiProblem)
    notify('danger', problemSaying(error), {
      problem: error.code,
      reference: referenceOf(error),
      offer: offerFor(error.code),
    })
  else throw error
}

/** Say something to a person who listens to the screen. */
export function announce(say: Saying, urgency: 'polite' | 'assertive' = 'polite'): void {
  useNotices.setState({ [urgency]: { id: ++lastId, say } })
}
