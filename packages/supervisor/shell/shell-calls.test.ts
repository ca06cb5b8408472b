import { runInNewContext } from 'node:vm'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { describe, expect, it } from 'vitest'
import { answerShellCalls } from './shell-options.ts'

interface Event {
  readonly senderFrame: { readonly parent: unknown; readonly url: string } | null
}

describe('a call of a page to the shell', () => {
  const call = (senderFrame: Event['senderFrame']): unknown => {
    const handlers = new Map<string, (event: Event, argument: unknown) => unknown>()
    answerShellCalls(
      {
        handle: (channel: string, listener: (event: Event, argument: unknown) => unknown) =>
          handlers.set(channel, listener),
      },
      { 'shell:version': (_event, argument) => ['answered', argument] },
    )
    return handlers.get('shell:version')?.({ senderFrame }, 7)
  }

  it('is answered if it comes from the top frame of the terminal’s own page', () => {
    expect(call({ parent: null, url: 'app://milepost/manager' })).toEqual(['answered', 7])
  })

  it.each([
    ['a frame inside one of our pages', { parent: { url: 'app://milepost/' }, url: 'app://milepost/' }],
    ['another address', { parent: null, url: 'https://elsewhere.example/' }],
    ['another host of the scheme', { parent: null, url: 'app://elsewhere/' }],
    ['an address that only begins like ours', { parent: null, url: 'app://milepost.example/' }],
    ['a blank page', { parent: null, url: 'about:blank' }],
    ['a frame that is gone', null],
  ])('is rejected if its sender is not the top frame of the terminal’s own page: %s', (_who, frame) => {
    expect(() => call(frame)).toThrow('refused')
  })
})

describe('the preload script of the cashier’s page', () => {
  interface Exposed {
    readonly name: string
    readonly offered: Readonly<Record<string, (argument?: unknown) => unknown>>
  }
  const invoked: unknown[][] = []
  const exposed: Exposed[] = []
  const source = stripTypeScriptTypes(readFileSync(new URL('../../../electron/preload.cts', import.meta.url), 'utf8'))
  runInNewContext(source, {
    require: (name: string) => {
      if (name !== 'electron') throw new Error(`the preload asks for ${name}`)
      return {
        contextBridge: {
          exposeInMainWorld: (world: string, offered: Exposed['offered']) => exposed.push({ name: world, offered }),
        },
        ipcRenderer: { invoke: (...call: unknown[]) => invoked.push(call) },
      }
    },
  })

  it('offers the page four named calls, and nothing of Electron or Node', () => {
    expect(exposed.map(({ name, offered }) => [name, Object.keys(offered)])).toEqual([
      ['milepostShell', ['version', 'displays', 'setKiosk', 'quit']],
    ])
    for (const value of Object.values(exposed[0]?.offered ?? {})) expect(typeof value).toBe('function')
  })

  it('passes nothing but a boolean from the page to the shell', () => {
    const offered = exposed[0]?.offered ?? {}
    for (const name of ['version', 'displays', 'quit']) offered[name]?.({ channel: 'anything' })
    offered['setKiosk']?.('yes')
    offered['setKiosk']?.(true)
    expect(invoked).toEqual([
      ['shell:version'],
      ['shell:displays'],
      ['shell:quit'],
      ['shell:kiosk', false],
      ['shell:kiosk', true],
    ])
  })
})
