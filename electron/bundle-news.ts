import { sayRefusal, type Refusal, type RefusalWords, type StartingKey } from '../contracts/refusal.ts'
import type { News } from '../delivery/news.ts'
import type { Tell } from '../delivery/start.ts'

const DROPPED = {
  unreadable: 'droppedUnreadable',
  gone: 'droppedGone',
  older: 'droppedOlder',
  'key-revoked': 'droppedKeyRevoked',
  'keys-missing': 'droppedKeysMissing',
} as const satisfies Readonly<Record<Extract<News, { kind: 'dropped' }>['why'], StartingKey>>

/** What a start did with the bundles of its lane, for whoever starts the terminal; without words in English. */
export function newsLine(news: Parameters<Tell>[0], words?: RefusalWords): string {
  const say = (...sentences: Refusal): string => sayRefusal(sentences, words)
  if (news.kind === 'left') return say(['bundleLeft', { reason: news.error.message }])
  const bundle = news.number === null ? say(['aBundle']) : say(['numberedBundle', { number: news.number }])
  switch (news.kind) {
    case 'dropped':
      return say(['bundleDropped', { bundle }], [DROPPED[news.why]])
    case 'refused':
      return [
        say(['bundleRefused', { bundle }], ['bundleRefusedBefore']),
        ...news.words,
        say(['bundleRefusedDo']),
      ].join('\n')
    case 'damaged':
      return say(['bundleBroken', { bundle }], ['bundleBrokenDo'])
    case 'recovered':
      return say(['bundleRecovered'], ['bundleRecoveredNumber', { number: String(news.number) }], ['bundleRecoveredDo'])
  }
}
