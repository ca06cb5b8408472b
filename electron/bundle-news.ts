import type { News } from '../delivery/news.ts'
import type { Tell } from '../delivery/start.ts'

const DROPPED: Readonly<Record<Extract<News, { kind: 'dropped' }>['why'], string>> = {
  unreadable: 'what was asked for cannot be read. Put the bundle on the lane again.',
  gone: 'its files are gone or were changed. Put the bundle on the lane again.',
  older: 'it is older than what was sold by here. To go back, use: bundle undo.',
  'key-revoked': 'its key was revoked. Ask the installer for a new bundle.',
  'keys-missing': 'this lane’s newer lists of trusted keys are gone. Put the bundle with --trust FOLDER.',
}

const named = (number: number | null): string => (number === null ? 'A bundle' : `Bundle ${number}`)

/** What a start did with the bundles of its lane, for whoever starts the terminal. */
export function newsLine(news: Parameters<Tell>[0]): string {
  switch (news.kind) {
    case 'left':
      return `A bundle could not be put in force or cleared away: ${news.error.message}`
    case 'dropped':
      return `${named(news.number)} was not put in force: ${DROPPED[news.why]}`
    case 'refused':
      return [
        `${named(news.number)} IS NOT SOLD BY: no terminal starts by it. The lane goes on with what it had before.`,
        ...news.words,
        'Have the installer mend the profile and put a new bundle.',
      ].join('\n')
    case 'damaged':
      return (
        `${named(news.number)} is damaged on this disk. The lane goes on with the one before it: put the newest on ` +
        'the lane again.'
      )
    case 'recovered':
      return (
        `This lane no longer knew which bundle it sells by, and takes the newest that it has: number ${news.number}. ` +
        'Put the store’s bundle on the lane again.'
      )
  }
}
