/** `#HELP`, `#VERSION` and `#SUPPORTS`: what the protocol tells of itself. Shared Agent Protocol §10 and §11. */
import { helpLines } from '../commands/help.ts'
import { features, protocolVersion } from '../commands/table.ts'
import { type Handlers, told } from './speech.ts'

export const aboutHandlers: Handlers = {
  async HELP({ parts, given, modifier }) {
    return told(...helpLines(given.category, modifier, await parts.table()))
  },

  async VERSION() {
    return told(`v${protocolVersion}`)
  },

  /** The same major version, and a minor one that is not newer than ours. */
  async 'VERSION:check'({ given }) {
    const [major = 0, minor = 0] = (given.version ?? '').replace(/^v/, '').split('.').map(Number)
    const [ownMajor = 0, ownMinor = 0] = protocolVersion.split('.').map(Number)
    return told(major === ownMajor && minor <= ownMinor ? 'compatible' : 'incompatible')
  },

  async 'VERSION:features'({ modifier }) {
    const isAll = modifier === 'detailed' || typeof modifier === 'object'
    const shown = Object.entries(features).slice(0, isAll ? undefined : 3)
    return told(...shown.map(([name, since]) => `• ${name}: ${since}`))
  },

  async SUPPORTS({ parts, given }) {
    const wanted = given.feature ?? ''
    const isCommand = (await parts.table()).some(({ name }) => `#${name}` === wanted)
    return told(String(Object.hasOwn(features, wanted) || isCommand))
  },
}
