import { Document, Pair, Scalar as YamlScalar, YAMLMap, YAMLSeq, type ScalarTag, type Tags } from 'yaml'
import { namesAt } from './schema.ts'
import type { Entry, Group, Setting } from './settings.ts'

/** Begins each profile that was made, so that it is known again. */
export const MADE = '# Made by npm run profiles.'

/**
 * A profile of one store as YAML, its settings in the order of the schema, whichever file gave them. `sources`: the
 * files it was made from, for whoever opens it.
 */
export function profileText(settings: Group, sources: readonly string[]): string {
  const document = new Document(null, { customTags: asWritten })
  document.contents = nodeOf(settings, [])
  const body = document.toString({ lineWidth: 0 })
  return `${MADE} Change ${sources.join(', ')} and render again.\n${body}`
}

function nodeOf(setting: Setting, path: readonly string[]): YAMLMap | YAMLSeq | YamlScalar {
  switch (setting.kind) {
    case 'group': {
      const map = new YAMLMap()
      for (const [name, { value }] of inOrder(setting, namesAt(path)))
        map.items.push(new Pair(new YamlScalar(name), nodeOf(value, [...path, name])))
      return map
    }
    case 'list': {
      const list = new YAMLSeq()
      list.items.push(...setting.items.map((item) => nodeOf(item, [...path, '[]'])))
      return list
    }
    case 'scalar': {
      const scalar = new YamlScalar(setting.value)
      scalar.source = setting.source
      return scalar
    }
  }
}

/** What the schema does not know comes last. */
const inOrder = ({ entries }: Group, names: readonly string[]): [string, Entry][] => {
  const place = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length)
  return [...entries].toSorted(([one], [other]) => place(one) - place(other))
}

/** Numbers stay as they were written: the checker says what it found, and 01 is not 1 to who wrote it. */
const asWritten = (tags: Tags): Tags => tags.map((tag) => (isNumberTag(tag) ? { ...tag, stringify: sourceOf } : tag))
const isNumberTag = (tag: Tags[number]): tag is ScalarTag =>
  typeof tag === 'object' && (tag.tag === 'tag:yaml.org,2002:int' || tag.tag === 'tag:yaml.org,2002:float')
const sourceOf = ({ source, value }: YamlScalar): string => source ?? String(value)
