import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { LOCALES } from '../../../contracts/i18n/languages.ts'
import { isOfInstaller, LANE_FINDINGS, type LaneFindingCode } from '../../../contracts/operations/lane-check.ts'

type Tree = { readonly [key: string]: string | Tree }
const flatten = (tree: Tree, path = ''): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value] as [string, string]] : flatten(value, `${path}${key}.`),
  )

const COMMAND = /\bmilepost [a-z-]|\bnpm run\b|\b(sudo|chmod|chown|systemctl|timedatectl)\b|(^|\s)--[a-z]|set-secret/

const isShown = (key: string): boolean => {
  const code = /^laneCheck\.todoFor\.(.+)$/.exec(key)?.[1]
  return code === undefined || !isOfInstaller(code as LaneFindingCode)
}

describe.each(LOCALES)('the screens in %s', (locale) => {
  test('contain no shell command', () => {
    const named = flatten(CATALOGS[locale].screens).filter(([key, text]) => isShown(key) && COMMAND.test(text))
    expect(named).toEqual([])
  })

  test('name an existing section of a guide where they refer to the installer', () => {
    const codes = Object.keys(LANE_FINDINGS).filter((code) => isOfInstaller(code as LaneFindingCode))
    expect(codes.length).toBeGreaterThan(10)
    const [, page = '', section = ''] =
      /\((docs\/[\w-]+\.md), [“«]\s?(.+?)\s?[”»]\)/.exec(CATALOGS[locale].screens.laneCheck.askInstaller) ?? []
    expect(readFileSync(page, 'utf8')).toContain(`# ${section}\n`)
  })
})
