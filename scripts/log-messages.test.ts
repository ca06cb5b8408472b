import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { LOG_MESSAGES_FILE, logMessagesSource, messagesIn } from './log-messages.ts'

test('the list of log messages is up to date; npm run lab -- log-messages updates it', () => {
  expect(readFileSync(LOG_MESSAGES_FILE, 'utf8')).toBe(logMessagesSource())
})

test('the list of log messages has messages of every kind of log call, with “#” for inserted values', () => {
  const source = `
    log.info('one')
    options.log.warn({ message: 'a fact' }, 'two')
    log[sure ? 'info' : 'error'](found, sure ? 'three' : 'four')
    log.error({ err }, \`\${count} of \${all} left\`)
    const result = console.log('five')
    log.info(name)
  `
  expect(messagesIn('a.ts', source)).toEqual(['one', 'two', 'three', 'four', '# of # left'])
})
