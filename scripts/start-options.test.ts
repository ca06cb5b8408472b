import { describe, expect, test } from 'vitest'
import { readStartOptions, START_HELP } from './start-options.ts'

describe('the command line of npm start', () => {
  test.each(['--data=', '--profile=', '--lane=', '--port=', '--data= '])(
    'rejects %s without a value and names the option',
    (given) => {
      expect(readStartOptions([given], 'stores/training.yaml')).toEqual({
        kind: 'wrong',
        message: `${given.split('=')[0]} is given without a value.`,
      })
    },
  )

  test('opens the training store if there are no options', () => {
    expect(readStartOptions([], 'stores/training.yaml')).toMatchObject({
      kind: 'start',
      options: { profile: 'stores/training.yaml', data: null, lane: null, port: 0 },
    })
  })

  test('has a help text with a shell command that runs on any Node of the machine', () => {
    expect(START_HELP).toContain('npx node backend/operations/provision.ts set-secret')
  })
})
