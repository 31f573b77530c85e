/** Speaking to a session in one's own words: Shared Agent Protocol §2.5, on a real session. */
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { openWorkspace } from '../../src/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { LanguageModel } from '../../src/protocols/shared-agent/language/model.ts'
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { sessionsOn, speaker } from '../support/session.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let tree: Tree
let sessions: Sessions
let say: (agent: string, line: string) => Promise<string>
beforeEach(() => {
  tree = openMemoryTree()
  sessions = sessionsOn(tree)
  say = speaker(sessions)
})

const me = 'Orchestrator'

/** Lines of a conversation, each with its answer. */
async function plays(lines: readonly (readonly [agent: string, line: string, answer: string])[]) {
  for (const [agent, line, answer] of lines) expect([line, await say(agent, line)]).toEqual([line, answer])
}

describe('in words', () => {
  verifies(['SA-2.5a', 'SA-2.5d'], 'a request is run, and answered by a sentence', () =>
    plays([
      [
        me,
        'Please ask TestAgent to run the unit tests',
        'I gave "run unit tests" to TestAgent as task_id_001. TestAgent has no role here, so the task waits in its inbox.',
      ],
      ['TestAgent', '#DONE:task_id_001:passing with 95% coverage', 'done:task_id_001'],
      [me, 'Can you check the test results?', 'The unit tests are passing with 95% coverage.'],
      [me, 'remember that the branch is main', 'I saved "main" as branch.'],
      [me, 'what is the branch?', 'branch is main.'],
      [me, '#STATE:load:branch', 'main'],
      [me, 'lock src/auth.js for ten minutes', 'I locked src/auth.js for 600 seconds.'],
      [me, 'Please dance', 'I did not understand that. Say it another way, or "help" for what can be asked.'],
    ]),
  )

  it('[SA-2.5d] exit statuses are those of the command; a question is 1', async () => {
    const exits = async (line: string) => (await sessions.say(line, { session: 's' })).exit
    expect(await exits('remember that port is 80')).toBe(0)
    expect(await exits('what did we save as zone?')).toBe(1)
    expect(await exits('clear everything')).toBe(1)
    expect(await exits('#STATE:load')).toBe(2)
  })

  verifies(
    ['SA-2.5d', 'SA-2.5a'],
    'what is asked back runs after a yes, once, and is forgotten after anything else',
    async () => {
      const asks = 'That would run #STATE:clear. That is no plain order. Is that what you want?\nSay "yes" to run it.'
      const nothingAsked = 'There is nothing to say yes to.'
      await plays([
        [me, '#STATE:save:a:1', 'saved:a'],
        [me, 'wipe everything', asks],
        [me, 'no', 'Nothing was run.'],
        [me, 'yes', nothingAsked],
        [me, 'wipe everything', asks],
        [me, '#STATE:load:a', '1'],
        [me, 'yes', nothingAsked],
        [me, 'wipe everything', asks],
        // Another user's yes is about what that one was asked.
        ['TestAgent', 'use natural language', 'Natural language: say what you want in your own words.'],
        ['TestAgent', 'yes', nothingAsked],
        [me, '#STATE:load:a', '1'],
        [me, 'wipe everything', asks],
        [me, 'yes', 'I cleared the state of the session.'],
        [me, 'yes', nothingAsked],
        [me, '#STATE:load:a', 'not_found'],
      ])
    },
  )

  it('[SA-2.5d] of several that say yes at once, one runs it', async () => {
    await say(me, '#STATE:save:a:1')
    await say(me, 'wipe everything')
    const others = Array.from({ length: 6 }, () => speaker(sessionsOn(tree)))
    const answers = await Promise.all(others.map((one) => one(me, 'yes')))
    expect(answers.filter((one) => one === 'I cleared the state of the session.')).toHaveLength(1)
    const log = await sessions.log('ctx_789')
    expect(log.filter(({ did }) => did === 'STATE:clear')).toHaveLength(1)
  })
})

describe('more than one', () => {
  verifies(['SA-2.5a'], 'several certain requests are run in order; the first that fails ends it', () =>
    plays([
      [me, 'lock src/a.js and subscribe to test_results', 'I locked src/a.js.\nYou now listen to test_results.'],
      ['DevAgent', '#LOCK:src/b.js', 'locked'],
      [
        me,
        'lock src/b.js and subscribe to file_changes',
        'src/b.js is held by DevAgent.\nI did not go on with #SUBSCRIBE:file_changes.',
      ],
    ]),
  )

  it('[SA-2.5a] where one destroys something they are listed, and nothing is run', async () => {
    await say(me, '#STATE:save:a:1')
    expect(await say(me, 'lock src/a.js and clear the state')).toBe(
      'I understand these requests: #LOCK:src/a.js and #STATE:clear. Say them one after the other, so that I run just what you want.',
    )
    expect(await say(me, '#STATE:load:a')).toBe('1')
  })
})

describe('corrections', () => {
  const learning = () => speaker(sessionsOn(tree, { settings: { learnCorrections: true } }))

  verifies(['SA-2.5a'], 'are kept as examples of the workspace, if configured', async () => {
    const one = learning()
    const odd = 'kaboom src/a.js, tra la la'
    expect(await one(me, odd)).not.toMatch(/^I locked/)
    // The command that is typed then is what was meant.
    expect(await one(me, '#LOCK:src/a.js')).toBe('locked')
    expect(await one(me, odd)).toBe('I locked src/a.js.')
    expect(await learning()(me, 'kaboom lib/b.js, tra la la')).toBe('I locked lib/b.js.')
    await one(me, 'foo bar baz')
    expect(await one(me, 'no, I meant what is next?')).toBe('There is nothing to do.')
    expect(await one(me, 'foo bar baz')).toBe('There is nothing to do.')
    // What destroys something is asked back, however often it was said.
    await one(me, 'blah blah blah')
    await one(me, '#STATE:clear')
    expect(await one(me, 'blah blah blah')).toMatch(/^That would run #STATE:clear/)
    // Nobody else, who has not configured it, is concerned.
    expect(await say(me, 'foo bar baz')).not.toBe('There is nothing to do.')
  })

  it('[SA-2.5a] are not kept unless configured', async () => {
    await say(me, 'foo bar baz')
    await say(me, '#NEXT:')
    expect(await tree.read(treePath('.signalbox/state/sessions/.corrections'))).toBeUndefined()
  })
})

describe('modes', () => {
  verifies(['SA-2.5b'], 'the protocol is shown, explained and used as one wishes', () =>
    plays([
      [me, 'show protocol', 'I will show the commands as they run.'],
      [me, 'remember that port is 80', '#STATE:save:port:80\nI saved "80" as port.'],
      [me, 'explain protocol', 'I will show the commands as they run, and say what each does.'],
      [
        me,
        'what did we save as port?',
        '#STATE:load:port\n  Tells value saved under key. It answers value or "not_found".\nport is 80.',
      ],
      [me, 'hide the protocol', 'I will not show commands any more.'],
      [me, 'what did we save as port?', 'port is 80.'],
      [me, 'use protocol mode', 'Protocol mode: say commands such as #HELP. "use natural language" switches back.'],
      [me, 'what did we save as port?', '#ERROR:E001:not_a_command'],
      [me, '#STATE:load:port', '80'],
      [me, 'use natural language', 'Natural language: say what you want in your own words.'],
      [me, 'what did we save as port?', 'port is 80.'],
    ]),
  )

  verifies(
    ['SA-2.5c'],
    'the mode is kept for each user and session, across processes, until the session ends',
    async () => {
      await say(me, 'use protocol mode')
      expect(await speaker(sessionsOn(tree))(me, 'help')).toBe('#ERROR:E001:not_a_command')
      expect(await say('DevAgent', 'help')).toBe('#ERROR:E001:not_a_command')
      await say('DevAgent', 'use natural language')
      expect(await say('DevAgent', 'version')).toBe('This is version 1.1.0 of the protocol.')
      expect(await say(me, 'version')).toBe('#ERROR:E001:not_a_command')
      expect(await speaker(sessions, 'another')(me, 'version')).toBe('This is version 1.1.0 of the protocol.')
      await sessions.end('ctx_789')
      expect(await say(me, 'version')).toBe('This is version 1.1.0 of the protocol.')
    },
  )
})

describe('translate', () => {
  verifies(['SA-2c'], 'tells the command or the question, and runs nothing', async () => {
    await say(me, '#STATE:save:branch:main')
    const before = await sessions.log('ctx_789')
    const made = (text: string) => sessions.translate(text, { session: 'ctx_789' })
    expect(await made('clear the state')).toEqual({ outcome: 'command', command: '#STATE:clear' })
    expect(await made('what is the branch?')).toEqual({ outcome: 'command', command: '#STATE:load:branch' })
    expect(await made('wipe everything')).toMatchObject({ outcome: 'asked', command: '#STATE:clear' })
    expect(await say(me, 'yes')).toBe('There is nothing to say yes to.')
    expect(await sessions.log('ctx_789')).toEqual(before)
    // A session that is not there is not started for it.
    expect(await sessions.translate('what is next?', { session: 'nowhere' })).toEqual({
      outcome: 'command',
      command: '#NEXT:',
    })
    expect((await sessions.list()).map(({ session }) => session)).toEqual(['ctx_789'])
  })
})

describe('a configured model', () => {
  const heard: string[] = []
  const answering = (line: string): LanguageModel => ({
    async ask(text) {
      heard.push(text)
      return line
    },
  })
  const withModel = (line: string) =>
    speaker(sessionsOn(openMemoryTree(), { ports: { model: async () => answering(line) } }))
  beforeEach(() => void heard.splice(0))

  verifies(['SA-2.5a'], 'is asked only where it would be asked back, and destroys nothing without a yes', async () => {
    const ask = withModel('#STATE:clear')
    expect(await ask(me, 'remember that port is 80')).toBe('I saved "80" as port.')
    expect(heard).toEqual([])
    expect(await ask(me, 'make it all go away')).toBe(
      'That would run #STATE:clear. That is no plain order. Is that what you want?\nSay "yes" to run it.',
    )
    expect(heard).toEqual(['make it all go away'])
    expect(await ask(me, 'what did we save as port?')).toBe('port is 80.')
    expect(await ask(me, 'make it all go away')).toMatch(/^That would run/)
    expect(await ask(me, 'yes')).toBe('I cleared the state of the session.')
  })

  it('[SA-2.5a] runs what it means by a line, and is not listened to otherwise', async () => {
    expect(await withModel('#VERSION')(me, 'please dance')).toBe('This is version 1.1.0 of the protocol.')
    expect(await withModel('I would say #VERSION')(me, 'please dance')).toMatch(/^I did not understand/)
    expect(await withModel('#VERSION')('DevAgent', 'please dance')).toBe('#ERROR:E001:not_a_command')
  })

  verifies(['SA-2.5a'], 'is the one that the user configures; without one nothing is sent', async () => {
    const asked: { readonly key: string | undefined; readonly text: string }[] = []
    let answer = '#VERSION'
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const piece of request) text += piece
      asked.push({ key: request.headers.authorization, text: JSON.parse(text).messages[0].content })
      response.end(JSON.stringify({ choices: [{ message: { content: answer } }] }))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const root = tempDir()
    const keyFile = join(tempDir(), 'key')
    writeFileSync(keyFile, 'secret\n', { mode: 0o600 })
    const configured = {
      SIGNALBOX_MODELS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      SIGNALBOX_MODELS_MODEL: 'small',
      SIGNALBOX_MODELS_KEY_FILE: keyFile,
    }
    const saidWith = async (environment: Record<string, string>, line: string) => {
      const workspace = await openWorkspace({ root, environment: { ...environment, PATH: process.env.PATH } })
      try {
        return (await workspace.sessions.say(line, { session: 's' })).answer
      } finally {
        await workspace.close()
      }
    }
    try {
      expect(await saidWith(configured, 'please dance')).toBe('This is version 1.1.0 of the protocol.')
      expect(asked.map(({ key }) => key)).toEqual(['Bearer secret'])
      expect(asked[0]?.text).toContain('please dance')
      expect(asked[0]?.text).not.toContain('secret')
      expect(await saidWith(configured, 'which version is this')).toBe('This is version 1.1.0 of the protocol.')
      expect(await saidWith({}, 'please dance')).toMatch(/^I did not understand/)
      expect(asked).toHaveLength(1)
      answer = 'rm -rf /'
      expect(await saidWith(configured, 'please dance')).toMatch(/^I did not understand/)
      // A key that others may read goes nowhere, and neither does the sentence.
      chmodSync(keyFile, 0o644)
      expect(await saidWith(configured, 'please dance')).toMatch(/^I did not understand/)
      expect(asked).toHaveLength(2)
    } finally {
      server.close()
    }
  })
})
