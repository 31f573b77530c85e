import { expect, it } from 'vitest'
import { choice, duration, text } from '../kernel/field.ts'
import { homeGitignore } from '../tree/home.ts'
import { homeReadme, settingsTemplate } from './init-files.ts'
import { schema, settings } from './workspace/settings.ts'
import { readSettingsText, readSimple } from './workspace/settings-text.ts'

const uncommented = (text: string) => text.replaceAll(/^#(?! )/gm, '').replaceAll(/^#(?= {2}\w+: )/gm, '')
const keysOf = (entries: readonly { readonly key: string }[]) => entries.map(({ key }) => key)

it('the settings file sets nothing, and every key in it is one that can be set', async () => {
  const template = await settingsTemplate()
  expect(readSimple(template)).toEqual([])
  expect(keysOf(readSimple(uncommented(template)) ?? [])).toEqual([
    ...Object.keys(settings),
    // The credentials for etcd, and which models may read messages, are the user's own to say.
    ...Object.keys(schema.sections).filter((name) => name !== 'etcd' && name !== 'models'),
  ])
  expect(template).not.toContain('SIGNALBOX_MR_KEYS')
})

it('sections of protocols are in it too', async () => {
  const fields = {
    root: text('Where.', { default: 'llm/missions' }),
    timeout: duration('How long.', { default: 90_000 }),
    kind: choice('Which.', ['a']),
  }
  const template = await settingsTemplate({ settings: {}, sections: { acmq: async () => ({ fields, usersOwn: [] }) } })
  expect(await readSettingsText(template)).toEqual([])
  expect(template).toContain('#acmq:\n')
  expect(uncommented(template)).toContain(
    'acmq:\n  # Where.\n  # Takes text; or set SIGNALBOX_ACMQ_ROOT.\n  root: llm/missions\n',
  )
  expect(uncommented(template)).toContain('  timeout: 1m30s\n')
})

it('what concerns one machine, can be made again or is secret stays out of git', () => {
  expect(
    homeGitignore()
      .split('\n')
      .filter((line) => line.startsWith('/')),
  ).toEqual([
    '/cache/',
    '/engine/',
    '/state/presence/',
    '/state/keys/',
    '/state/rates/',
    '/state/metrics/',
    '/state/merging/',
    '/state/sessions/',
    '/state/locks/',
    '/state/shown/',
  ])
  expect(homeReadme()).toContain(
    '| `state/keys/` | keys that somebody put here; they are not used, and not to be committed | that knowledge is lost | no |',
  )
  expect(homeReadme()).toContain(
    '| `state/aliases/` | where files are that were moved, by their old names | that knowledge is lost | yes |',
  )
})
